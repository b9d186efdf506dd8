import type { Screen } from './list.ts'

interface Picture {
  readonly file: string
  readonly width_px: number
  readonly theme: string
}

/** A page with every picture, a row for each screen. */
export function contactSheet(input: {
  screens: readonly Screen[]
  pictures: (screen: Screen) => readonly Picture[]
}): string {
  const rows = input.screens.map((screen) => {
    const pictures = input
      .pictures(screen)
      .map(
        ({ file, width_px, theme }) =>
          `<a href="${file}"><img loading="lazy" src="${file}" alt="${screen.name}, ${width_px} px, ${theme}"></a>`,
      )
    return `<section><h2>${screen.name} <small>${screen.route} · ${screen.as}</small></h2><div>${pictures.join('')}</div></section>`
  })
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Screens</title>
<style>
  body { font: 14px system-ui; margin: 2rem; background: #888; }
  small { font-weight: normal; }
  div { display: flex; gap: 0.5rem; overflow-x: auto; align-items: start; }
  img { height: 22rem; border-radius: 4px; object-fit: cover; object-position: top; }
</style>
${rows.join('\n')}
</html>
`
}
