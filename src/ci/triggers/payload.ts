import { invalid, TooLarge } from '#platform/refusals.ts'
import type { GivenVariable } from '../pipelines/new-pipeline.ts'

/** Bytes of JSON. */
const MOST_BYTES = 1024 * 1024
/** Parameters that hold credentials: jobs do not get them. */
const CREDENTIALS = new Set(['token', 'private_token', 'access_token'])

/**
 * What a trigger was called with, for jobs to read: a file of JSON. Webhooks of other projects tell in it what has happened.
 * @param sent the parameters as they came, also those that nobody declared
 * @throws 400 for what is nested too deep, and 413 past 1 MiB
 */
export function payloadVariable(sent: object): GivenVariable {
  const value = toJson(
    Object.fromEntries(Object.entries(sent).filter(([name]) => !CREDENTIALS.has(name.toLowerCase()))),
  )
  if (Buffer.byteLength(value) > MOST_BYTES) throw new TooLarge('the parameters are more than 1 MiB of JSON')
  // Raw, or dollar signs of strangers would read the project's own variables.
  return { key: 'TRIGGER_PAYLOAD', value, variable_type: 'file', raw: true }
}

function toJson(sent: object): string {
  try {
    return JSON.stringify(sent, (_, value: unknown) => (isAttachment(value) ? value.filename : value))
  } catch (error) {
    // What can be parsed may still not fit the stack.
    if (error instanceof RangeError) throw invalid({ base: ['The parameters are nested too deep'] })
    throw error
  }
}

const isAttachment = (value: unknown): value is { readonly filename: string } =>
  typeof value === 'object' &&
  value !== null &&
  'filename' in value &&
  typeof value.filename === 'string' &&
  'data' in value &&
  Buffer.isBuffer(value.data)
