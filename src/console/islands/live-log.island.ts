// Runs in browsers: src/console/islands/index.ts serves it.
import { piecesOf, plain } from './ansi.ts'

/** Milliseconds between two questions. Runners send what is new every three seconds. */
const PACE = 2_000
/** Bytes that one question asks for, and after which the page is loaded anew, which shows the end alone. */
const AT_ONCE = 256 * 1024
const MOST = 1024 * 1024
/** What the API answers when the job is gone, or not for the visitor any more. */
const GONE: ReadonlySet<number> = new Set([401, 403, 404])

/** The log of a job that has not ended: adds what is new, and loads the page anew when the job changes. */
class LiveLog extends HTMLElement {
  readonly #look = plain()
  readonly #decoder = new TextDecoder()
  #at = 0
  #added = 0
  #line = ''
  #last: HTMLElement | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  connectedCallback(): void {
    this.#at = Number(this.dataset['at'])
    this.#timer = setTimeout(() => void this.#follow(), PACE)
  }

  disconnectedCallback(): void {
    clearTimeout(this.#timer)
  }

  async #follow(): Promise<void> {
    try {
      if (!document.hidden) {
        const had = await this.#read()
        // What it wrote last comes before it ends.
        if (!had && (await this.#hasChanged())) return location.reload()
      }
    } catch {
      // The server is not there for a moment, or for now.
    }
    if (this.#added > MOST) return location.reload()
    this.#timer = setTimeout(() => void this.#follow(), PACE)
  }

  /**
   * Asks from the last byte that it knows: browsers would complain of a range behind the end.
   * @returns whether there was something new
   */
  async #read(): Promise<boolean> {
    const known = Math.min(this.#at, 1)
    const from = this.#at - known
    const headers = { range: `bytes=${from}-${from + AT_ONCE}` }
    const answer = await fetch(this.dataset['trace'] ?? '', known === 0 ? {} : { headers })
    if (answer.status !== (known === 0 ? 200 : 206)) {
      await answer.body?.cancel()
      return false
    }
    const bytes = new Uint8Array(await answer.arrayBuffer()).subarray(known)
    this.#at += bytes.length
    this.#added += bytes.length
    if (bytes.length > 0) this.#add(this.#decoder.decode(bytes, { stream: true }))
    return bytes.length > 0
  }

  async #hasChanged(): Promise<boolean> {
    const answer = await fetch(this.dataset['job'] ?? '')
    if (!answer.ok) return GONE.has(answer.status)
    const job: unknown = await answer.json()
    return typeof job === 'object' && job !== null && 'status' in job && job.status !== this.dataset['status']
  }

  /** The last line may go on: it is written again when more of it comes. */
  #add(text: string): void {
    const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 80
    const lines = (this.#line + text).split('\n')
    this.#line = lines.pop() ?? ''
    this.#last?.remove()
    this.append(...lines.map((line) => this.#shown(line)))
    if (this.#line !== '') this.append((this.#last = this.#shown(this.#line, structuredClone(this.#look))))
    if (atEnd) scrollTo({ top: document.documentElement.scrollHeight })
  }

  #shown(line: string, look = this.#look): HTMLElement {
    const shown = document.createElement('div')
    // Sections are folded when the page is loaded anew.
    const text = line.replaceAll(/section_(?:start|end):\d+:[\w.-]+(?:\[[^\]]*\])?\r?/g, '')
    for (const piece of piecesOf(text, look)) {
      const part = document.createElement('span')
      part.className = piece.look
      part.textContent = piece.text
      shown.append(part)
    }
    if (shown.textContent === '') shown.textContent = '\u200b'
    return shown
  }
}

customElements.define('live-log', LiveLog)
