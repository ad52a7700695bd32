/** Mocha's own report, and one plain line to close it that any reader of logs can find. */
const { reporters } = require('mocha');

module.exports = class ClosingLine extends reporters.Spec {
  epilogue() {
    try {
      super.epilogue();
    } catch {
      // Of a hook that failed in another process, the report lacks what it wants to show.
      for (const { title, err } of this.failures) process.stdout.write(`\n${title}\n${err?.stack}\n`);
    }
    const { passes, failures, pending } = this.stats;
    process.stdout.write(
      `${passes} passed, ${failures} failed${pending > 0 ? `, ${pending} skipped` : ''}\n`,
    );
  }
};
