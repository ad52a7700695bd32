/** Mocha's own report, and one plain line to close it that any reader of logs can find. */
const { reporters } = require('mocha');

module.exports = class ClosingLine extends reporters.Spec {
  epilogue() {
    super.epilogue();
    const { passes, failures, pending } = this.stats;
    process.stdout.write(
      `${passes} passed, ${failures} failed${pending > 0 ? `, ${pending} skipped` : ''}\n`,
    );
  }
};
