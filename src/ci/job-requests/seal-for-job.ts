import { createHmac } from 'node:crypto'
import { openSealed, sealWith } from '#platform/db/secrets.ts'

// What is kept of the log of a job is sealed with a key that is made of the job's token. The server knows that key only while it handles a
// request of the job's runner.

const NAME = 'job log'

const keyOf = (token: string): Buffer => createHmac('sha256', token).update(NAME).digest()

export const sealForJob = (token: string, plain: Buffer | string): Buffer =>
  sealWith(keyOf(token), NAME, plain)

/** @throws {WrongMasterKey} for another token */
export const openForJob = (token: string, sealed: Buffer): Buffer => openSealed(keyOf(token), NAME, sealed)
