import { hkdfSync, randomBytes } from 'node:crypto'
import { link, open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '#platform/make-folder.ts'

/** The database was set up with another master key, or a sealed value was altered. */
export class WrongMasterKey extends Error {
  override readonly name = 'WrongMasterKey'
}

/** Where the master key is: in FORGELET_SECRET_KEY or, when that is absent, in a file in the data folder. */
export interface MasterKeySource {
  readonly secretKey: string | undefined
  readonly dataDir: string
}

/** The minimum length of a master key, in characters. */
const MASTER_KEY_LENGTH = 32

/** The master key; undefined when none was given or made yet. */
export async function findMasterKey({ secretKey, dataDir }: MasterKeySource): Promise<string | undefined> {
  if (secretKey !== undefined && secretKey.length < MASTER_KEY_LENGTH) {
    throw new Error(`FORGELET_SECRET_KEY should have ${MASTER_KEY_LENGTH} characters or more`)
  }
  return secretKey ?? (await readMasterKey(dataDir))
}

/** Derives a key for one purpose. It is the same on every node and after every restart. */
export function deriveKey(masterKey: string, purpose: string, length = 32): Buffer {
  return Buffer.from(hkdfSync('sha256', Buffer.from(masterKey), 'forgelet', purpose, length))
}

/** @param found what was found instead of the right key; completes a sentence. */
export function mismatch(dataDir: string, found: string): WrongMasterKey {
  return new WrongMasterKey(
    `The secrets in this database were sealed with its master key, and ${found}. ` +
      `Set FORGELET_SECRET_KEY to the key it was set up with, or put that key's file back at ${dataDir}/secret.key ` +
      `(it is part of every backup). Nothing was changed.`,
  )
}

const keyFile = (dataDir: string): string => join(dataDir, 'secret.key')

/** The master key in the data folder, if there is one. */
async function readMasterKey(dataDir: string): Promise<string | undefined> {
  const text = await readFile(keyFile(dataDir), 'utf8').catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return undefined
    throw error
  })
  const key = text?.trim()
  if (key !== undefined && key.length < MASTER_KEY_LENGTH) {
    throw new Error(
      `${keyFile(dataDir)} holds no master key: it should have ${MASTER_KEY_LENGTH} characters or more`,
    )
  }
  return key
}

/**
 * Makes a master key that only this account can read. The file is written whole or not at all.
 *
 * @returns the key that is in the data folder now: another process may have been first.
 */
export async function createMasterKey(dataDir: string): Promise<string> {
  await makeFolder(dataDir, 0o700)
  const path = keyFile(dataDir)
  const draft = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(`${randomBytes(32).toString('base64url')}\n`)
    await file.sync()
    // Unlike a rename, a link never replaces the key of a process that was faster.
    await link(draft, path).catch((error: unknown) => {
      if (!isCode(error, 'EEXIST')) throw error
    })
  } finally {
    await file.close()
    await unlink(draft)
  }
  await syncFolder(dataDir)
  const key = await readMasterKey(dataDir)
  if (key === undefined) throw new Error(`${path} vanished while it was made`)
  return key
}

/** Without this, a power cut may lose the key's name although its bytes are safe. Windows cannot do it and need not. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
