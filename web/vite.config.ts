import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type Rolldown } from 'vite'
import { marketingPaths } from './content/paths.ts'

const api = process.env.API_URL ?? 'http://localhost:3001'

/**
 * Calls without side effects, so that unused results are tree-shaken. A page that takes one price from the
 * catalogue gets no zod, and no page gets those of Clerk's and the router's components that it does not show.
 */
const pure = [
  'z',
  'endpoint',
  'withClerk',
  'createContextAndHook',
  'createBillingPaginatedHook',
  'createElementComponent',
  'React.createContext',
  'React.forwardRef',
  'React.memo',
]

/**
 * Two documents: `marketing.html` for the pages that everybody may read, which scripts/build.ts also builds
 * as a renderer for the server, and `index.html` for all others.
 */
export default defineConfig(({ isSsrBuild }) => ({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), marketingDocument(), paintFirst()],
  build: {
    outDir: isSsrBuild ? 'dist/server' : 'dist/client',
    emptyOutDir: true,
    // This folder is public, and source maps are the sources.
    sourcemap: false,
    manifest: !isSsrBuild,
    copyPublicDir: !isSsrBuild,
    // Only Safari before 17 would need it; it would be one request more for everybody.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      ...(!isSsrBuild && {
        input: [`${import.meta.dirname}/index.html`, `${import.meta.dirname}/marketing.html`],
        output: {
          codeSplitting: {
            groups: [
              ['marketing.tsx'],
              ['layouts/marketing/showSite.tsx'],
              // What the dashboard takes from a page of the site comes without the site's own texts.
              ['pages/landing/LandingPage.tsx', 'main.tsx'],
              ['pages/landing/LandingPage.tsx', 'pages/dashboard/DashboardPage.tsx'],
              ['pages/landing/LandingPage.tsx'],
              ['pages/pricing/PricingPage.tsx'],
              ['main.tsx'],
              ['pages/sign-up/SignUpPage.tsx'],
              ['layouts/account/AccountLayout.tsx'],
              ['pages/dashboard/DashboardPage.tsx'],
              ['pages/billing/BillingPage.tsx'],
              ['pages/organizations/OrganizationsPage.tsx'],
              ['layouts/support/SupportLayout.tsx'],
            ].map(sharedFile),
          },
        },
      }),
      treeshake: {
        manualPureFunctions: pure,
        // The renderer takes two addresses from Clerk's package, whose provider would leave globals in the server,
        // and it alone reads Markdown.
        moduleSideEffects: (id: string) => !id.includes(isSsrBuild ? '/@clerk/clerk-react/' : '/marked/'),
      },
    },
  },
  // Production servers have no React installed, so the renderer bundles it.
  ssr: { noExternal: true },
  ...(isSsrBuild && { define: { 'process.env.NODE_ENV': '"production"' } }),
  server: {
    // web/api has the same path as the server's calls: files that end in .ts are ours.
    proxy: { '^/api/(?!.+\\.tsx?(\\?|$))': api, '/__clerk': api, '/__sandbox': api, '/healthz': api },
  },
}))

/**
 * Pages ask for their code in few files, since each is a request: what these sources share, or a single one
 * shares with others, is one file, unless sources before them have it already.
 */
function sharedFile(sources: readonly string[]): Rolldown.CodeSplittingGroup {
  const name = `${sources.map((source) => source.replace(/.*\/|\.tsx$/g, '')).join('-')}-shared`
  return {
    debugName: name,
    name: (id, graph) => {
      const importers = new Set([id])
      for (const importer of importers) {
        // Who takes one export of this index takes none of the others.
        if (importer.endsWith('/radix-ui/dist/index.mjs')) continue
        for (const next of graph.getModuleInfo(importer)?.importers ?? []) importers.add(next)
      }
      return sources.every((source) => importers.has(`${import.meta.dirname}/${source}`)) ? name : null
    },
    minShareCount: 2,
  }
}

/** Chooses the document in development; in production server/middleware/web-app.ts does. */
function marketingDocument(): Plugin {
  return {
    name: 'marketing-document',
    configureServer(server) {
      server.middlewares.use((request, _response, next) => {
        const path = (request.url ?? '').split('?')[0]
        if (marketingPaths.some((known) => known === path)) request.url = '/marketing.html'
        next()
      })
    },
  }
}

/**
 * Asks for what the first paint waits for before the scripts, which Vite puts first: on HTTP/1.1 some thirty
 * files would hold up the style sheet. The font, of which the browser would learn only from that, is fetched
 * when nothing else is left: of all that a page loads it alone has a stand-in.
 */
function paintFirst(): Plugin {
  return {
    name: 'paint-first',
    transformIndexHtml: {
      order: 'post',
      handler: (html, { bundle }) => {
        const links: string[] = html.match(/^ *<link rel="stylesheet"[^>]*>\n/gm) ?? []
        const rest = links.reduce((text, link) => text.replace(link, ''), html)
        const [font] = Object.keys(bundle ?? {}).filter((file) =>
          /inter-latin-opsz-normal.*\.woff2$/.test(file),
        )
        if (font)
          links.push(`    <link rel="preload" as="font" crossorigin fetchpriority="low" href="/${font}">\n`)
        return rest.replace(/^ *<script type="module"/m, (script) => links.join('') + script)
      },
    },
  }
}
