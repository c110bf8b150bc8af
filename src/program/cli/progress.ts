import type { Terminal } from './command.ts'

/** Milliseconds between two lines. */
const PACE = 2_000

/** Prints lines about the progress on standard error, not too many. */
export function progressOn(terminal: Terminal, what: string): (progress: string) => void {
  let last = performance.now()
  return (progress) => {
    if (performance.now() - last < PACE) return
    last = performance.now()
    terminal.err(`${what} ${progress}\n`)
  }
}
