// What this program and its starter of processes tell each other. Both are the same version of the program.

/** A program to start. */
export interface Program {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>
}

/**
 * How a process writes to a connection that comes with the order: itself, or by way of the starter, which puts each piece
 * into a chunk of HTTP/1.1. The last chunk is left to the program.
 */
export type OwnOutput = 'plain' | 'chunked'

/** Asks the starter to start a program, or to end one with everything that it started. */
export type Order =
  | (Program & { readonly order: 'start'; readonly id: number; readonly ownOutput: OwnOutput | undefined })
  | { readonly order: 'kill'; readonly id: number }

/** How a process ended. */
export interface Exit {
  /** The exit code; null when a signal ended it. */
  readonly code: number | null
  /** The end of what it wrote to standard error. */
  readonly stderr: string
}

/** What the starter has to say. */
export type Report =
  | { readonly report: 'ready' }
  | { readonly report: 'started'; readonly id: number; readonly pid: number }
  | { readonly report: 'failed'; readonly id: number; readonly error: string }
  | ({ readonly report: 'ended'; readonly id: number } & Exit)

/** How much of standard error is kept, in characters. */
export const KEPT = 8_192

/** The first bytes of a connection: which process it is for, and which of its streams. */
export const headerOf = (id: number, stream: 'in' | 'out'): string => `${id} ${stream}`

export function isOrder(message: unknown): message is Order {
  return typeof message === 'object' && message !== null && 'order' in message
}

export function isReport(message: unknown): message is Report {
  return typeof message === 'object' && message !== null && 'report' in message
}
