import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { Client } from '#test/client.ts'
import { newDatabase, urlOf } from '#test/new-database.ts'
import { openWorld } from '#test/world.ts'
import { folder, forgelet as program, READY } from './forgelet.ts'
import { forgelet } from './in-process.ts'

const w = await openWorld()
afterAll(() => w.running.stop())

const year = new Date().getUTCFullYear()
const issue = [
  'license',
  'issue',
  '--plan=ultimate',
  '--company=Engines & Co',
  '--name=Ada',
  '--email=ada@example.com',
  `--expires=${year + 1}-12-31`,
  '--users=25',
]

describe('license issue', () => {
  test('prints a license, alone, that the instance takes', async () => {
    const more = [`--starts=${year}-01-01`, '--add-on', 'Auditors=2', '--add-on=Extra=0']
    const { code, out, err } = await forgelet([...issue, ...more], w.environment)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)
    const { status, body } = await w.root.post('/license', { license: out })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      plan: 'ultimate',
      starts_at: `${year}-01-01`,
      expires_at: `${year + 1}-12-31`,
      user_limit: 25,
      licensee: { Name: 'Ada', Email: 'ada@example.com', Company: 'Engines & Co' },
      add_ons: { Auditors: 2, Extra: 0 },
    })
  })

  test('makes licenses of their own from the same terms, which start today', async () => {
    const today = () => new Date().toISOString().slice(0, 10)
    const before = today()
    const [one, two] = await Promise.all([forgelet(issue, w.environment), forgelet(issue, w.environment)])
    for (const { out } of [one, two]) {
      const { status, body } = await w.root.post('/license', { license: out })
      expect(status).toBe(201)
      expect([before, today()]).toContain(body.starts_at)
    }
  })

  test('signs with a key of a file, without any database, for instances that trust it', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const file = join(folder(), 'vendor.pem')
    writeFileSync(file, privateKey.export({ format: 'pem', type: 'pkcs8' }))
    const nowhere = { FORGELET_DATABASE_URL: 'postgres://x@127.0.0.1:1/x' }
    const { code, out } = await forgelet([...issue, `--key=${file}`], nowhere)
    expect(code).toBe(0)
    expect((await w.root.post('/license', { license: out })).body.message).toMatch(/not signed by a key/)
    const FORGELET_LICENSE_PUBLIC_KEYS = publicKey.export({ format: 'pem', type: 'spki' })
    const trusting = await w.another(undefined, { FORGELET_LICENSE_PUBLIC_KEYS })
    try {
      const root = new Client(trusting.url, w.root.headers)
      expect((await root.post('/license', { license: out })).status).toBe(201)
    } finally {
      await trusting.stop()
    }
    const seen = await forgelet(['license', 'inspect', out.trim()], {
      ...nowhere,
      FORGELET_LICENSE_PUBLIC_KEYS,
    })
    expect(seen.out).toContain('Signature:  trusted, by a key of FORGELET_LICENSE_PUBLIC_KEYS\n')
  })

  test('needs the master key of the instance', async () => {
    const wrong = { ...w.environment, FORGELET_SECRET_KEY: 'another master key, as long as it must be' }
    const { code, out, err } = await forgelet(issue, wrong)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(/^forgelet: The secrets in this database were sealed with its master key/)
  })
})

describe('license inspect', () => {
  test('explains a license, from an argument or standard input', async () => {
    const { out: license } = await forgelet([...issue, `--starts=${year + 1}-01-01`], w.environment)
    const wanted = `Plan:       ultimate
Company:    Engines & Co
Name:       Ada
Email:      ada@example.com
Starts:     ${year + 1}-01-01 (in the future)
Expires:    ${year + 1}-12-31
Users:      25
Signature:  trusted, by the key of this instance
`
    for (const [args, input] of [
      [[license.trim()], []],
      [[], [license.slice(0, 50), '\n', license.slice(50)]],
    ] as const) {
      const answer = await forgelet(['license', 'inspect', ...args], w.environment, [...input])
      expect(answer).toEqual({ code: 0, out: wanted, err: '' })
    }
  })

  test('says so when it is over, without limit, and signed by somebody else', async () => {
    const other = await openWorld()
    try {
      const license = await other.licenseString({
        starts_at: '2020-01-01',
        expires_at: '2021-01-01',
        add_ons: { Auditors: 3 },
      })
      const { code, out } = await forgelet(['license', 'inspect', license], w.environment)
      expect(code).toBe(0)
      expect(out).toMatch(/^Expires: +2021-01-01 \(expired\)$/m)
      expect(out).toMatch(/^Users: +without limit$/m)
      expect(out).toMatch(/^Add-on: +Auditors=3$/m)
      expect(out).toMatch(/^Signature: +not trusted$/m)
    } finally {
      await other.running.stop()
    }
  })

  test('explains without an instance, too, and makes none', async () => {
    const license = await w.licenseString()
    const data = join(folder(), randomBytes(4).toString('hex'))
    const { code, out } = await forgelet(['license', 'inspect', license], { FORGELET_DATA: data })
    expect(code).toBe(0)
    expect(out).toMatch(/^Signature: +not known: there is no instance here/m)
    expect(existsSync(data)).toBe(false)
    const away = { FORGELET_DATABASE_URL: 'postgres://x@127.0.0.1:1/x' }
    const unreachable = await forgelet(['license', 'inspect', license], away)
    expect(unreachable.out).toMatch(/^Signature: +not known: PostgreSQL cannot be reached/m)
  })

  test('changes no schema', async () => {
    const database = await newDatabase('empty')
    const environment = { FORGELET_DATABASE_URL: urlOf({ ...database, database: 'postgres' }) }
    const { out } = await forgelet(['license', 'inspect', await w.licenseString()], environment)
    expect(out).toMatch(/^Signature: +not known: there is no instance here/m)
  })

  test.each(['nonsense', 'a.b.c'])('ends with 1 for %s', async (text) => {
    const { code, out, err } = await forgelet(['license', 'inspect', text], w.environment)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(/^forgelet: this is no license: it [^\n]+\n$/)
  })
})

test(
  'serve --ephemeral --plan has a license for the plan, which gives every area of it',
  { timeout: 180_000 },
  async () => {
    const token = `glpat-${randomBytes(15).toString('hex')}`
    const server = program(['serve', '--ephemeral', '--plan', 'ultimate'], { FORGELET_ROOT_TOKEN: token })
    const root = new Client(await server.saying(READY), { 'private-token': token })
    expect((await root.get('/license')).body).toMatchObject({ id: 1, plan: 'ultimate', expired: false })
    expect((await root.get('/audit_events')).status).toBe(200)
    expect((await root.get(`/namespaces/root`)).body.plan).toBe('ultimate')
  },
)
