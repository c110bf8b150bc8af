import type { IncomingHttpHeaders } from 'node:http'

/** What is known of a piece of work. Never a secret, nor what somebody sent as a value. */
export type Attributes = Readonly<Record<string, string | number | boolean>>

export interface Work {
  /** There are few names: `GET /api/v4/projects/:id`, never with an id in it. */
  readonly name: string
  /** Who asked for it: another program, this one of another, or the queue of jobs. */
  readonly kind: 'server' | 'client' | 'consumer' | 'internal'
  readonly attributes: Attributes
  /** The headers in which another program names its span, of which this work is a part. */
  readonly caller?: IncomingHttpHeaders
}

export interface Span {
  set(attributes: Attributes): void
  /** Runs something as a part of this work: what begins in it belongs below this span. */
  within<T>(run: () => T): T
  /** Ends the work. @param failure why it failed; a class of errors rather than a text. */
  end(failure?: string): void
}

/** Records what this process works on. Where no traces are wanted, there is none. */
export interface Tracer {
  /** Begins a piece of work below the one that this code is a part of. */
  begin(work: Work): Span
  /** Counts a statement for the work that it is a part of. @returns what is called when it is answered */
  countStatement(): () => void
}

/** Does a piece of work and records it, where somebody wants that. */
export async function traced<T>(
  tracer: Tracer | undefined,
  work: Work,
  run: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  if (tracer === undefined) return run(undefined)
  const span = tracer.begin(work)
  try {
    const result = await span.within(() => run(span))
    span.end()
    return result
  } catch (error) {
    span.end(errorClassOf(error))
    throw error
  }
}

/** The class of an error, which is no secret as its message may be. */
export const errorClassOf = (error: unknown): string => (error instanceof Error ? error.name : 'error')
