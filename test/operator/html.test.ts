import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Content, html, toText } from '../../src/operator/html.ts';

describe('A template of HTML', () => {
  it('lets no text from outside become markup or leave its attribute', () => {
    const hostile = fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', 'a', '=', '/', ' ') });
    fc.assert(
      fc.property(hostile, (text) => {
        const [, inAttribute = '', inText = ''] =
          /^<a title="([^"<>']*)">([^<>"']*)<\/a>$/.exec(toText(html`<a title="${text}">${text}</a>`)) ?? [];
        assert.equal(unescaped(inAttribute), text);
        assert.equal(unescaped(inText), text);
      }),
    );
  });

  it('escapes objects from JSON that look like templates', () => {
    const forged = JSON.parse('{"Symbol(html)": "<b>", "text": "<b>"}') as Content;
    assert.doesNotMatch(toText(html`${forged}`), /<b>/);
  });

  it('keeps templates within templates, also in lists, and shows nothing for absent values', () => {
    const items = [1, 2].map((each) => html`<li>${each}</li>`);
    assert.equal(toText(html`<ul>${items}${null}${undefined}${false}</ul>`), '<ul><li>1</li><li>2</li></ul>');
  });

  it('rejects an attribute without quotes', () => {
    assert.throws(() => html`<a href=${'x onclick=alert(1)'}>`, /Quote the attribute/);
    assert.throws(() => html`<a class="${'a'}" href=${'x'}>`, /Quote the attribute/);
    assert.equal(toText(html`<a href="/x/${'a'}?b=${'c'}">`), '<a href="/x/a?b=c">');
  });
});

const unescaped = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
