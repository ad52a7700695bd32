/** The versions of Node.js that are tested: the least that package.json allows, one between, and the one that the image ships. */
export const RUNTIMES = ['20.19.0', '22.23.3', '24.20.0'] as const;
