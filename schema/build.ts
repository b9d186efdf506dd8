import packageJson from '../package.json' with { type: 'json' }

/** What runs here: the version of package.json, and the commit, which the image is given when it is built. */
export const build: { readonly version: string; readonly revision: string } = {
  version: packageJson.version,
  revision: process.env.TIDEMARK_REVISION || 'unknown',
}
