import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  databases,
  differences,
  problemsOfInstalled,
  readRecord,
  readShasums,
  readSigned,
  type RuntimeRecord,
  runtimes,
  sha256,
  sha256OfFolder,
} from '../../scripts/runtime-checksums.ts'
import { OLDEST_NODE } from '../../scripts/assert-node.js'
import { filesOfTree } from '#test/tree.ts'
import { folder } from './forgelet.ts'

const root = join(import.meta.dirname, '../..')
const modules = join(root, 'node_modules')

describe('the pinned Node.js', () => {
  const record = readRecord()

  test('is recorded for every platform, in the version that is locked', () => {
    const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      optionalDependencies: Record<string, string>
    }
    const pinned = Object.entries(optionalDependencies).filter(([name]) => name.startsWith('node-'))
    expect(Object.fromEntries(pinned)).toEqual(
      Object.fromEntries(runtimes.map(({ name }) => [name, record.version])),
    )
    expect(Object.keys(record.binaries).toSorted()).toEqual(runtimes.map(({ name }) => name).toSorted())
    for (const sum of Object.values(record.binaries)) expect(sum).toMatch(/^[0-9a-f]{64}$/)
  })

  test('was compared with something', () => {
    expect(record.compared?.with).toMatch(/\w/)
  })

  test('is what is recorded, where it is installed', () => {
    expect(problemsOfInstalled(record, modules)).toEqual([])
  })

  test('and so is the embedded PostgreSQL, for every platform, in the version that is locked', () => {
    const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      optionalDependencies: Record<string, string>
    }
    const pinned = Object.entries(optionalDependencies).filter(([name]) => name.startsWith('@embedded'))
    const { version, packages } = record.postgresql
    expect(Object.fromEntries(pinned)).toEqual(Object.fromEntries(databases.map((name) => [name, version])))
    expect(Object.keys(packages).toSorted()).toEqual([...databases].toSorted())
    for (const sum of Object.values(packages)) expect(sum).toMatch(/^[0-9a-f]{64}$/)
  })

  test('a file of PostgreSQL that differs, is added or missing is found; links are not', () => {
    const elsewhere = folder()
    const [name] = databases
    const place = join(elsewhere, name)
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, 'package.json'), JSON.stringify({ version: record.postgresql.version }))
    writeFileSync(join(place, 'postgres'), 'a program')
    const packages = { ...record.postgresql.packages, [name]: sha256OfFolder(place) }
    const own = { ...record, postgresql: { ...record.postgresql, packages } }
    symlinkSync('postgres', join(place, 'postgres.link'))
    expect(problemsOfInstalled(own, elsewhere)).toEqual([])
    const changes = [
      () => writeFileSync(join(place, 'postgres'), 'another program'),
      () => writeFileSync(join(place, 'added'), ''),
      () => rmSync(join(place, 'postgres')),
    ]
    for (const change of changes) {
      change()
      expect(problemsOfInstalled(own, elsewhere)).toEqual([expect.stringContaining('which is not recorded')])
    }
  })

  test('is not that when a byte of it differs, or its version', () => {
    const elsewhere = folder()
    const [{ name, binary }] = runtimes
    mkdirSync(join(elsewhere, name, 'bin'), { recursive: true })
    writeFileSync(join(elsewhere, name, binary), 'another program')
    const install = (version: string) =>
      writeFileSync(join(elsewhere, name, 'package.json'), JSON.stringify({ version }))
    install(record.version)
    expect(problemsOfInstalled(record, elsewhere)).toEqual([expect.stringContaining('which is not recorded')])
    install('0.0.1')
    expect(problemsOfInstalled(record, elsewhere)).toEqual([
      `${name} is 0.0.1, recorded is ${record.version}`,
    ])
  })
})

describe('what is said about Node.js', () => {
  const text = (path: string) => readFileSync(join(root, path), 'utf8')
  const number = (range: string | undefined) => /^>=(\d+)$/.exec(range ?? '')?.[1] ?? 'none'
  const { engines } = JSON.parse(text('package.json')) as { engines: { node: string } }
  const checkout = number(engines.node)
  const published = String(OLDEST_NODE)

  test('is what npm is told: one version for a checkout, one for the package', () => {
    const readme = text('README.md').replaceAll(/\s+/g, ' ')
    expect(readme).toContain(
      `You need npm with Node.js ${checkout} or later. A checkout brings the Node.js that runs it`,
    )
    expect(readme).toContain(`The npm package brings no Node.js, and needs version ${published} or later.`)
  })

  test('is the same in every page and script', () => {
    const pages = [...filesOfTree('*.md').filter((page) => page !== 'CHANGELOG.md'), '.ci/run']
    const said = pages.flatMap((page) =>
      [...text(page).matchAll(/Node(?:\.js)? (?:version )?v?(\d+)/g)].map(([, version]) => ({
        page,
        version,
      })),
    )
    expect(said.length).toBeGreaterThan(3)
    expect(said.filter(({ version }) => version !== checkout && version !== published)).toEqual([])
  })
})

/** A release as the Node project publishes one, of programs that are a few letters long. */
function release() {
  const archives = folder()
  const version = '99.1.2'
  const programs = new Map(runtimes.map(({ name }) => [name, `the program of ${name}`]))
  const lines = runtimes.map(({ name, archive }) => {
    const program = programs.get(name) ?? ''
    if (archive === undefined) return `${sha256(Buffer.from(program))}  win-x64/node.exe`
    const top = `node-v${version}-${archive.replace('.tar.gz', '')}`
    mkdirSync(join(archives, top, 'bin'), { recursive: true })
    writeFileSync(join(archives, top, 'bin/node'), program)
    execFileSync('tar', ['-czf', `${top}.tar.gz`, top], { cwd: archives })
    return `${sha256(readFileSync(join(archives, `${top}.tar.gz`)))}  ${top}.tar.gz`
  })
  const binaries = Object.fromEntries([...programs].map(([name, text]) => [name, sha256(Buffer.from(text))]))
  const postgresql = { version, compared: null, packages: {} }
  const record: RuntimeRecord = { version, compared: null, binaries, postgresql }
  return { archives, record, shasums: `${lines.join('\n')}\n` }
}

describe('a comparison with the checksums of the Node project', () => {
  test('finds nothing where all binaries are those that were released', () => {
    const { archives, record, shasums } = release()
    expect(differences(record, readShasums(shasums), archives)).toEqual([])
  })

  test('finds a binary that was changed, an archive that was, and one that is missing', () => {
    const { archives, record, shasums } = release()
    const compare = (changed: RuntimeRecord, sums = shasums) =>
      differences(changed, readShasums(sums), archives)
    for (const { name } of runtimes) {
      const changed = { ...record, binaries: { ...record.binaries, [name]: sha256(Buffer.from('changed')) } }
      expect(compare(changed)).toEqual([expect.stringContaining(`${name} is not the`)])
    }
    const archive = `node-v${record.version}-linux-x64.tar.gz`
    const other = shasums.replace(new RegExp(`^.*  ${archive}$`, 'm'), `${'0'.repeat(64)}  ${archive}`)
    expect(compare(record, other)).toEqual([`${archive} has another checksum than the signed one`])
    expect(differences(record, readShasums(shasums), folder())).toHaveLength(3)
  })

  const gpg = spawnSync('gpg', ['--version']).status === 0
  if (!gpg) console.log('skipped: gpg is not installed')
  test.skipIf(!gpg)('names who signed the checksums, and refuses those that nobody did', () => {
    const { archives, shasums } = release()
    const home = folder()
    chmodSync(home, 0o700)
    const before = process.env['GNUPGHOME']
    process.env['GNUPGHOME'] = home
    try {
      const quick = ['--batch', '--passphrase', '', '--quick-generate-key', 'Releaser <r@example.com>']
      execFileSync('gpg', quick, { stdio: 'ignore' })
      const plain = join(archives, 'SHASUMS256.txt')
      writeFileSync(plain, shasums)
      execFileSync('gpg', ['--batch', '--clear-sign', plain], { stdio: 'ignore' })
      const signed = readFileSync(`${plain}.asc`, 'utf8')
      const added = `${'0'.repeat(64)}  added.tar.gz\n`
      writeFileSync(`${plain}.asc`, `${added}${signed}${added}`)
      const { text, signedBy } = readSigned(`${plain}.asc`)
      expect(signedBy).toMatch(/^[0-9A-F]{40}$/)
      expect(text).toBe(shasums)
      writeFileSync(`${plain}.asc`, signed.replace(/^[0-9a-f]{64}/m, '0'.repeat(64)))
      expect(() => readSigned(`${plain}.asc`)).toThrow(/no valid signature/)
      expect(() => readSigned(plain)).toThrow(/no valid signature/)
    } finally {
      execFileSync('gpgconf', ['--kill', 'all'], { stdio: 'ignore' })
      if (before === undefined) delete process.env['GNUPGHOME']
      else process.env['GNUPGHOME'] = before
    }
  })
})
