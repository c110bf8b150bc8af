import { ConfigError } from '#platform/config/config.ts'
import {
  ClusterVersionMismatch,
  codeOf,
  DataFolderBusy,
  EmbeddedUnavailable,
} from '#platform/db/embedded/errors.ts'
import { FolderRefused } from '#platform/make-folder.ts'
import { untrusted } from '#platform/untrusted.ts'
import { isDatabaseDown } from '#platform/db/errors.ts'
import { DatabaseTooNew, ServerTooOld } from '#platform/db/migrate.ts'
import { RestoreUnfinished } from '#platform/db/restore-mark.ts'
import { WrongMasterKey } from '#platform/db/secrets.ts'
import { Refusal } from '#platform/refusals.ts'
import { DatabaseError } from 'pg'
import { Refused, UsageError } from './command.ts'
import { Stopped } from './signals.ts'

export interface Explanation {
  readonly code: 1 | 2
  readonly text: string
}

/** Errors whose own message says what is wrong and what to do. */
const REFUSALS = [
  Refused,
  DataFolderBusy,
  ClusterVersionMismatch,
  EmbeddedUnavailable,
  DatabaseTooNew,
  RestoreUnfinished,
  FolderRefused,
  ServerTooOld,
  Stopped,
  WrongMasterKey,
]

const LISTENING: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another program: stop that one, or choose another with FORGELET_PORT',
  EACCES: 'is not permitted to this account: choose one above 1023 with FORGELET_PORT',
  EADDRNOTAVAIL: 'is no address of this machine: set FORGELET_HOST to one that is',
  ENOTFOUND: 'is not known as a host: set FORGELET_HOST to an address of this machine',
}

/** What to print for the person at the terminal. Only a defect of Forgelet itself gets a stack trace. */
export function explain(error: unknown): Explanation {
  if (error instanceof UsageError) return { code: 2, text: `${error.message}. See forgelet --help.` }
  if (error instanceof ConfigError) return { code: 2, text: error.message }
  return { code: 1, text: refusal(error) ?? defect(error) }
}

function refusal(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (REFUSALS.some((kind) => error instanceof kind)) return error.message
  // Node.js says of what it aborted that it was, and why only behind that.
  if (error.name === 'AbortError') return refusal(error.cause)
  if (error instanceof Refusal) return sentence(error)
  return listening(error) ?? database(error) ?? files(error)
}

/** A refusal by a verb, whose message is written for the API. */
function sentence({ says }: Refusal): string {
  if (typeof says === 'string') return says
  return Object.entries(says)
    .map(([attribute, problems]) => `${attribute} ${[problems].flat().join(', ')}`)
    .join('; ')
}

function listening(error: Error): string | undefined {
  const what = LISTENING[codeOf(error) ?? '']
  const asked = 'syscall' in error && (error.syscall === 'listen' || error.syscall === 'getaddrinfo')
  // The lock of a data folder is a socket, too.
  if ('address' in error && String(error.address).startsWith('/')) return undefined
  if (what === undefined || !asked) return undefined
  const host = 'address' in error ? error.address : 'hostname' in error ? error.hostname : ''
  const port = 'port' in error ? `:${String(error.port)}` : ''
  return `${String(host)}${port} ${what}.`
}

function database(error: Error): string | undefined {
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  const distrust = error instanceof DatabaseError ? undefined : untrusted(error)
  if (distrust !== undefined) return `PostgreSQL (FORGELET_DATABASE_URL): ${distrust}.`
  if (isDatabaseDown(error)) {
    return `PostgreSQL cannot be reached (${error.message}${cause}). Is FORGELET_DATABASE_URL right, and the server up?`
  }
  if (error instanceof DatabaseError) return `PostgreSQL refuses: ${error.message}.`
  return error.cause instanceof DatabaseError ? `${error.message}${cause}.` : undefined
}

const ANOTHER = 'or choose another data folder with FORGELET_DATA'

/** What to do where a file cannot be written. */
const FILES: Readonly<Record<string, string>> = {
  EACCES: 'Can this account write to the data folder (FORGELET_DATA)?',
  EPERM: 'Can this account write to the data folder (FORGELET_DATA)?',
  EROFS: `That disk is mounted read-only: mount it read-write, ${ANOTHER}.`,
  ENOSPC: `That disk is full: make room, ${ANOTHER}.`,
  EDQUOT: `This account may not use more of that disk: raise its quota, ${ANOTHER}.`,
  ENOTDIR: `A file or a device is where a folder should be: move it away, ${ANOTHER}.`,
  EEXIST: `A file or a device is where a folder should be: move it away, ${ANOTHER}.`,
}

function files(error: Error): string | undefined {
  const advice = FILES[codeOf(error) ?? '']
  return advice === undefined ? undefined : `${error.message}. ${advice}`
}

function defect(error: unknown): string {
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return `this should not happen, please report it:\n${trace}`
}
