import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs'

/** What programs that started this one want to know of it. */
export interface Ready {
  readonly url: string
  readonly pid: number
  /** The administrator's token, where the data are gone at the end. */
  readonly token: string | undefined
}

/** Forgets what an earlier server has written, so that nobody takes it for this one. */
export function prepareReadyFile(path: string): void {
  if (descriptorIn(path) === undefined && isOrdinary(path)) rmSync(path, { force: true })
}

/**
 * Writes one line of JSON for whoever waits for it, who finds the whole line or nothing. It is for this account alone. A
 * pipe gets the line, too, and so does an open file: `/dev/fd/3`.
 */
export function writeReadyFile(path: string, ready: Ready): void {
  const line = `${JSON.stringify(ready)}\n`
  const descriptor = descriptorIn(path)
  if (descriptor !== undefined) return writeFileSync(descriptor, line)
  if (!isOrdinary(path)) return writeFileSync(path, line)
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, line, { mode: 0o600 })
  renameSync(draft, path)
}

/** The descriptor that a path names. A socket cannot be opened by that path. */
function descriptorIn(path: string): number | undefined {
  const [, digits] = /^\/dev\/fd\/(\d{1,9})$/.exec(path) ?? []
  return digits === undefined ? undefined : Number(digits)
}

const isOrdinary = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? true
