/** The section "Unreleased" of CHANGELOG.md, which becomes the section of a version. */

const HEADING = '## Unreleased\n';
const NOTHING_YET = 'Nothing yet.';

/** The notes under "Unreleased"; null when nothing is listed there. */
export function unreleasedNotes(changelog: string): string | null {
  const notes = sectionOf(changelog, HEADING);
  return notes !== null && /^- /m.test(notes) ? notes : null;
}

/** The notes of a version; null when it has no section. */
export const notesOf = (changelog: string, version: string): string | null => {
  const heading = new RegExp(`^## ${version.replaceAll('.', '\\.')} .*\n`, 'm').exec(changelog)?.[0];
  return heading === undefined ? null : sectionOf(changelog, heading);
};

/** Moves the notes under a heading of the version, and leaves an empty section above it. */
export function dateUnreleased(changelog: string, version: string, date: string): string {
  return changelog.replace(HEADING, `${HEADING}\n${NOTHING_YET}\n\n## ${version} (${date})\n`);
}

function sectionOf(changelog: string, heading: string): string | null {
  const [, after] = changelog.split(heading);
  return after === undefined ? null : (after.split(/^## /m)[0] as string).trim();
}
