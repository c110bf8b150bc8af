import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '#platform/context.ts'
import { createScratchDatabase, type ScratchDatabase } from '#test/scratch-database.ts'
import { openSecrets, type Secrets, WrongMasterKey } from './secrets.ts'

let database: ScratchDatabase
let dataDir: string

const KEY = 'a master key of thirty-two chars'
const OTHER = 'another key, long enough as well!'

beforeAll(async () => {
  database = await createScratchDatabase()
})
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'forgelet-secrets-'))
})
afterEach(async () => {
  await database.db.deleteFrom('secrets').execute()
  await rm(dataDir, { recursive: true })
})
afterAll(() => database[Symbol.asyncDispose]())

const open = (secretKey?: string, folder = dataDir): Promise<Secrets> =>
  openSecrets({ db: database.db, clock: systemClock, secretKey, dataDir: folder })

describe('the master key', () => {
  it('is made in the data folder, for this account only, and used again', async () => {
    const first = (await open()).derive('cookies')
    const file = await stat(join(dataDir, 'secret.key'))
    expect(file.mode & 0o777).toBe(0o600)
    expect((await readFile(join(dataDir, 'secret.key'), 'utf8')).trim()).toMatch(/^[\w-]{43}$/)
    expect((await open()).derive('cookies')).toEqual(first)
  })

  it('is the same for all that start together, and leaves nothing else behind', async () => {
    const folder = join(dataDir, 'not', 'yet', 'there')
    const all = await Promise.all(Array.from({ length: 8 }, () => open(undefined, folder)))
    expect(new Set(all.map((secrets) => secrets.derive('x').toString('hex'))).size).toBe(1)
    expect(await readdir(folder)).toEqual(['secret.key'])
  })

  it('from the configuration wins and writes no file', async () => {
    await open(KEY)
    expect(await readdir(dataDir)).toEqual([])
  })

  it('may not be short', async () => {
    await expect(open('too short')).rejects.toThrow('FORGELET_SECRET_KEY should have 32 characters or more')
    await writeFile(join(dataDir, 'secret.key'), '')
    await expect(open()).rejects.toThrow('secret.key holds no master key')
  })
})

describe('a wrong master key', () => {
  it('is refused at the start, with the ways out', async () => {
    await open(KEY)
    await expect(open(OTHER)).rejects.toThrow(WrongMasterKey)
    await expect(open(OTHER)).rejects.toThrow(/FORGELET_SECRET_KEY .*secret\.key/)
    await expect(open(KEY)).resolves.toBeDefined()
  })

  it('is not made when the right one is missing', async () => {
    await open(KEY)
    await expect(open()).rejects.toThrow('no master key was given')
    expect(await readdir(dataDir)).toEqual([])
  })
})

describe('secrets', () => {
  it('derive keys that differ by purpose', async () => {
    const secrets = await open(KEY)
    expect(secrets.derive('cookies')).toHaveLength(32)
    expect(secrets.derive('cookies')).not.toEqual(secrets.derive('csrf'))
    expect(secrets.derive('cookies', 64)).toHaveLength(64)
  })

  it('open what they sealed, under its name and unaltered only', async () => {
    const secrets = await open(KEY)
    const sealed = secrets.seal('upstream 7', 'pässword')
    expect(secrets.open('upstream 7', sealed).toString()).toBe('pässword')
    expect(sealed.includes('ssword')).toBe(false)
    expect(secrets.seal('upstream 7', 'pässword')).not.toEqual(sealed)
    expect(() => secrets.open('upstream 8', sealed)).toThrow(WrongMasterKey)
    const bytes = [...sealed.keys()]
    for (const index of bytes) {
      const altered = Buffer.from(sealed)
      altered.writeUInt8(altered.readUInt8(index) ^ 1, index)
      expect(() => secrets.open('upstream 7', altered)).toThrow(WrongMasterKey)
      expect(() => secrets.open('upstream 7', sealed.subarray(0, index))).toThrow(WrongMasterKey)
    }
  })

  it('are made once by name, also when all nodes ask at the same time', async () => {
    const nodes = await Promise.all(Array.from({ length: 6 }, () => open(KEY)))
    let made = 0
    const make = (): Buffer => Buffer.from(`secret ${++made}`)
    const answers = await Promise.all(nodes.map((node) => node.namedSecret('signing key', make)))
    expect(new Set(answers.map(String)).size).toBe(1)
    const before = made
    expect(await (await open(KEY)).namedSecret('signing key', make)).toEqual(answers[0])
    expect(made).toBe(before)
    const row = await database.db
      .selectFrom('secrets')
      .selectAll()
      .where('name', '=', 'signing key')
      .executeTakeFirst()
    expect(row?.sealed.includes('secret ')).toBe(false)
  })
})
