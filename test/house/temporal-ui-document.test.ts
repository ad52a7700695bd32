/** The lists in the page on the Temporal UI: each link opens the query that stands beside it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const PAGE = readFileSync(new URL('../../docs/temporal-ui.md', import.meta.url), 'utf8');
const ROW = /^\| \[(.+?)\]\((\S+?)\) \| (`+)(.+?)\3 \|$/gm;

const lists = [...PAGE.matchAll(ROW)].map(([, name = '', link = '', , text = '']) => {
  return { name, query: new URL(link).searchParams.get('query'), text };
});

describe('The lists of the Temporal UI', () => {
  it('opens by its link what the query beside it says', () => {
    assert.equal(lists.length, PAGE.match(/^\| \[/gm)?.length);
    for (const { name, query, text } of lists) assert.equal(query, text, name);
  });

  /** Seen in 2.54: a filter that is edited rewrites the whole query. */
  it('uses only what the filters of the UI keep when one of them is edited', () => {
    for (const { name, text } of lists) assert.doesNotMatch(text, / IN |[^`]!=|!= /, name);
  });
});
