/** The clock of the services here: it stands still until a test moves it on. */
export const clock = { ms: Date.UTC(2026, 2, 2, 8) };
