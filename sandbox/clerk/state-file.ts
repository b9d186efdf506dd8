import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * One JSON file that is always whole: it is written beside and renamed into place. Calls made while a write is
 * under way share the next one, so a burst of changes costs two writes.
 */
export class StateFile {
  readonly #path: string
  #writing: Promise<void> | null = null
  #next: Promise<void> | null = null

  constructor(path: string) {
    this.#path = path
  }

  async read(): Promise<unknown> {
    let text: string
    try {
      text = await readFile(this.#path, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    }
    try {
      return JSON.parse(text)
    } catch (cause) {
      throw new Error(`${this.#path} is not JSON. Delete it to start afresh.`, { cause })
    }
  }

  /** Resolves when a state at least as new as this call is on disk. */
  write(serialize: () => string): Promise<void> {
    if (this.#next) return this.#next
    if (this.#writing) {
      this.#next = this.#writing
        .catch(() => {})
        .then(() => {
          this.#next = null
          return this.#start(serialize)
        })
      return this.#next
    }
    return this.#start(serialize)
  }

  #start(serialize: () => string): Promise<void> {
    this.#writing = this.#replace(serialize()).finally(() => {
      this.#writing = null
    })
    return this.#writing
  }

  async #replace(text: string): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true })
    const temporary = `${this.#path}.${process.pid}.tmp`
    // The file holds the signing key and password hashes: nobody else on the machine reads it.
    await writeFile(temporary, text, { mode: 0o600 })
    await rename(temporary, this.#path)
  }
}
