import { untrusted } from '#platform/untrusted.ts'

/** What was found about one part. */
export interface CheckFinding {
  readonly part: string
  readonly state: 'ok' | 'note' | 'wrong'
  /** What is so; where something is wrong, also what to do. */
  readonly text: string
}

export const ok = (part: string, text: string): CheckFinding => ({ part, state: 'ok', text })
/** Something that works, but that the person may want otherwise. */
export const note = (part: string, text: string): CheckFinding => ({ part, state: 'note', text })
export const wrong = (part: string, text: string): CheckFinding => ({ part, state: 'wrong', text })

/** The message of what caused an error, in one line. */
export function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const distrust = untrusted(error)
  if (distrust !== undefined) return distrust
  if (error.cause instanceof Error) return reason(error.cause)
  return error.message || ('code' in error ? String(error.code) : error.name)
}
