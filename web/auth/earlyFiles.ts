/** Rspack's name of a part in the script of Clerk's components: `"_ui_"+i.h().slice(0,6)+"_1.34.0.js",i.h=()=>"de82…`. */
const partName = /"_ui_"\+\w+\.h\(\)\.slice\(0,6\)\+"_([\w.-]+)\.js",\w+\.h=\(\)=>"(\w{6})/

/**
 * Fetches the parts of Clerk's forms that a document begins to load (`signInScripts`, web/render.tsx), which Clerk
 * asks for only when it knows that there is no session. Written otherwise, they are fetched as late as that.
 */
export async function fetchForm(document: Document, rel: 'preload' | 'prefetch'): Promise<void> {
  const script = document.querySelector('link[href$="/ui.browser.js"]')?.getAttribute('href')
  if (!script) return
  for (const href of formParts(script, await readText(script))) hint(rel, href)
}

/** As in @clerk/ui: what `SignUp` of its script loads. */
export function formParts(script: string, text: string): string[] {
  const [, version, build] = partName.exec(text) ?? []
  if (!version) return []
  const file = script.replace(/@clerk\/ui@[^/]+/, `@clerk/ui@${version}`)
  const folder = file.slice(0, file.lastIndexOf('/') + 1)
  return ['framework', 'vendors', 'ui-common', 'signup'].map(
    (part) => `${folder}${part}_ui_${build}_${version}.js`,
  )
}

/** At a reader's first move, fetches what the page that follows needs, after all else and unless data is saved. */
export function prefetchAtFirstMove(path: '/sign-up' | '/dashboard'): void {
  const { connection } = navigator as { connection?: { saveData: boolean } }
  if (connection?.saveData) return
  const moved = new AbortController()
  const start = async () => {
    moved.abort()
    const next = new DOMParser().parseFromString(await readText(path), 'text/html')
    for (const file of next.head.querySelectorAll<HTMLElement>('script[src], link[href]')) {
      hint(
        'prefetch',
        file.getAttribute('src') ?? file.getAttribute('href'),
        file.getAttribute('crossorigin'),
      )
    }
    await fetchForm(next, 'prefetch')
  }
  for (const move of ['pointerdown', 'pointermove', 'keydown', 'scroll']) {
    // The page itself needs none of it.
    const listener = () => void start().catch(() => undefined)
    addEventListener(move, listener, { passive: true, signal: moved.signal })
  }
}

async function readText(address: string): Promise<string> {
  return (await fetch(address, { priority: 'low' })).text()
}

function hint(rel: string, href: string | null, crossOrigin: string | null = null): void {
  const link = Object.assign(document.createElement('link'), { rel, href, crossOrigin, as: 'script' })
  document.head.append(link)
}
