import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Locator, Page } from '@playwright/test'
import { repositoryRoot } from '../../scripts/launch/script.ts'
import { newCustomer } from '../e2e/support/customers.ts'
import { launchForPictures } from './launch.ts'

const size = { width: 1280, height: 720 }
const output = join(repositoryRoot, 'web/public')
const reports = join(repositoryRoot, 'reports')

/** A picture of the editor, and where the pointer goes next. */
interface Scene {
  readonly picture: string
  readonly pointer: { readonly x: number; readonly y: number } | null
}

/** Each picture stands, the pointer moves and presses, the next one is faded in. */
const film = `async ({ scenes, width, height }) => {
  const canvas = Object.assign(document.createElement('canvas'), { width, height })
  const canvasContext = canvas.getContext('2d')
  const pictures = await Promise.all(scenes.map(async ({ picture }) => {
    const image = new Image()
    image.src = picture
    await image.decode()
    return image
  }))
  const recorder = new MediaRecorder(canvas.captureStream(20), {
    mimeType: 'video/webm;codecs=vp9',
    videoBitsPerSecond: 250_000,
  })
  const parts = []
  recorder.ondataavailable = ({ data }) => parts.push(data)
  const stopped = new Promise((resolve) => { recorder.onstop = resolve })
  const rest_ms = 1200, move_ms = 900, press_ms = 250, fade_ms = 200
  let pointer = { x: width * 0.4, y: height * 0.75 }
  const arrow = new Path2D('M0 0L0 22L5.5 17L9.5 26L13.5 24.2L9.6 15.5L17 15.5Z')
  const draw = (picture, at, pressed) => {
    canvasContext.drawImage(picture, 0, 0, width, height)
    if (pressed > 0) {
      canvasContext.fillStyle = 'rgb(15 118 110 / ' + 0.35 * (1 - pressed) + ')'
      canvasContext.beginPath()
      canvasContext.arc(at.x, at.y, 8 + 30 * pressed, 0, 7)
      canvasContext.fill()
    }
    canvasContext.save()
    canvasContext.translate(at.x, at.y)
    canvasContext.fillStyle = '#111'
    canvasContext.strokeStyle = '#fff'
    canvasContext.lineWidth = 2
    canvasContext.fill(arrow)
    canvasContext.stroke(arrow)
    canvasContext.restore()
  }
  const during = (length_ms, paint) => new Promise((resolve) => {
    const begun = performance.now()
    const step = (now) => {
      const share = Math.min(Math.max(now - begun, 0) / length_ms, 1)
      paint(share)
      if (share < 1) requestAnimationFrame(step)
      else resolve()
    }
    requestAnimationFrame(step)
  })
  draw(pictures[0], pointer, 0)
  recorder.start()
  for (const [index, { pointer: target }] of scenes.entries()) {
    const picture = pictures[index]
    draw(picture, pointer, 0)
    // What stands still is not drawn again, and so not recorded again.
    await during(index === scenes.length - 1 ? 2 * rest_ms : rest_ms, () => {})
    if (!target) continue
    const from = pointer
    await during(move_ms, (share) => {
      const eased = share * share * (3 - 2 * share)
      pointer = { x: from.x + (target.x - from.x) * eased, y: from.y + (target.y - from.y) * eased }
      draw(picture, pointer, 0)
    })
    await during(press_ms, (share) => draw(picture, pointer, share))
    await during(fade_ms, (share) => {
      draw(picture, pointer, 0)
      canvasContext.globalAlpha = share
      draw(pictures[index + 1], pointer, 0)
      canvasContext.globalAlpha = 1
    })
  }
  recorder.stop()
  await stopped
  canvasContext.drawImage(pictures.at(-1), 0, 0, width, height)
  const poster = canvas.toDataURL('image/webp', 0.6).split(',')[1]
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer())
  return { video: bytes.toBase64(), poster }
}`

/**
 * `npm run demo-video` records the sample editor at work for the landing page. The pictures are the editor's; a
 * browser draws them with a pointer onto a canvas and records that, for which no other program is needed.
 */
const running = new AsyncDisposableStack()
try {
  const { url, browser } = await launchForPictures(running, join(reports, 'demo-video.log'))
  console.log('playing the scenes …')
  const scenes = await play(browser, url)
  console.log('recording …')
  const { video, poster } = await record(browser, scenes)
  await writeFile(join(output, 'demo.webm'), video)
  await writeFile(join(output, 'demo.webp'), poster)
  console.log(
    `demo.webm has ${Math.round(video.length / 1000)} kB, demo.webp ${Math.round(poster.length / 1000)}`,
  )
} finally {
  await running.disposeAsync()
}

async function play(browser: Browser, baseURL: string): Promise<Scene[]> {
  const context = await browser.newContext({ baseURL, viewport: size, colorScheme: 'light' })
  const customer = await newCustomer(context.request, baseURL)
  await customer.buy(500)
  const page = await context.newPage()
  await page.goto('/dashboard')
  const opened = context.waitForEvent('page')
  await page.getByRole('link', { name: 'Open the sample editor' }).first().click()
  const editor = await opened
  await editor.getByRole('button', { name: 'Sign in' }).click()
  await editor.getByRole('button', { name: 'Connect editor' }).click()
  await editor.getByRole('region', { name: 'Balance' }).waitFor()
  await enlarge(editor)
  const scenes: Scene[] = []
  for (const [name, shows] of [
    [/^Explain this function/, '12 credits used'],
    [/^Let an agent write tests/, 'are reserved for it'],
    [/^Let it finish/, '60 credits used'],
  ] as const) {
    const button = editor.getByRole('button', { name })
    scenes.push({ picture: await pictureOf(editor), pointer: await middleOf(button) })
    await button.click()
    await editor.getByText(shows).last().waitFor()
    await enlarge(editor)
  }
  scenes.push({ picture: await pictureOf(editor), pointer: null })
  await context.close()
  return scenes
}

/** The editor is made for a window; in a film of its size the letters would be small. */
async function enlarge(editor: Page): Promise<void> {
  await editor.addStyleTag({
    content:
      'html { zoom: 1.15 } body { min-height: calc(100dvh / 1.15) !important } header p { display: none }',
  })
}

async function pictureOf(editor: Page): Promise<string> {
  return `data:image/png;base64,${(await editor.screenshot()).toString('base64')}`
}

async function middleOf(button: Locator): Promise<{ x: number; y: number }> {
  const box = await button.boundingBox()
  if (!box) throw new Error('The editor shows no such button')
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

async function record(browser: Browser, scenes: readonly Scene[]) {
  const studio = await browser.newPage()
  const { video, poster } = await studio.evaluate<{ video: string; poster: string }>(
    `(${film})(${JSON.stringify({ scenes, ...size })})`,
  )
  return {
    video: Buffer.from(video, 'base64'),
    poster: Buffer.from(poster, 'base64'),
  }
}
