/**
 * True in `npm run test:long`, which runs everything. A file that only the long run has is called
 * `*.long.test.ts`; a browser test has the tag `@long`; this is for files whose breadth differs.
 */
export const isLong = process.env.TEST_LONG === '1'
