/** The tested versions of Node.js: the minimum of package.json, one in between, and the one in the image. */
export const RUNTIMES = ['20.19.0', '22.23.3', '24.20.0'] as const;
