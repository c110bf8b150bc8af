import { hash } from 'node:crypto'
import type { Frame, ReducedEvent, ReducedException } from '../collector/event.ts'
import { withoutVarying } from './plain-text.ts'

/** What stands for the server's own grouping in a fingerprint that a program gives. */
const DEFAULT = /^\{\{\s{0,3}default\s{0,3}\}\}$/

/** Bytes of a digest. */
const BYTES = 16

/**
 * A digest of what an event has in common with others of the same error: the fingerprint that the program gives; else
 * the types of its exceptions with the calls in the program's own code; else its message.
 */
export function fingerprintOf(event: ReducedEvent): string {
  const given = event.fingerprint?.flatMap((part) => (DEFAULT.test(part) ? ownParts(event) : [part]))
  return hash('sha256', JSON.stringify(given ?? ownParts(event))).slice(0, BYTES * 2)
}

function ownParts({ exceptions, template, message, transaction, logger, platform }: ReducedEvent): string[] {
  if (exceptions.some(({ type, frames }) => type !== undefined || frames.length > 0)) {
    const parts = exceptions.flatMap(partsOf)
    const [first] = exceptions
    // Calls without an exception: those of a message.
    return first?.type === undefined && message !== undefined
      ? [...parts, withoutVarying(template ?? message)]
      : parts
  }
  const text = template ?? message ?? exceptions.at(-1)?.value
  return text === undefined
    ? ['nothing', platform ?? '', transaction ?? '', logger ?? '']
    : ['message', withoutVarying(text)]
}

function partsOf({ type = '', value = '', frames }: ReducedException): string[] {
  const own = frames.filter(({ in_app }) => in_app === true)
  const counted = own.length > 0 ? own : frames
  // Without calls, the text is all that tells two errors of one type apart.
  return [type, ...(counted.length > 0 ? counted.map(callOf) : [withoutVarying(value)])]
}

/** A call without what a new version or a build changes: lines, hosts, queries and digests in names of files. */
function callOf({ module, filename = '', function: name = '' }: Frame): string {
  const file = filename.replace(/^[a-z][\w+.-]{0,20}:\/\/[^/]{0,255}/i, '').replace(/[?#].*$/s, '')
  return `${withoutVarying(module ?? file)} ${withoutVarying(name)}`
}
