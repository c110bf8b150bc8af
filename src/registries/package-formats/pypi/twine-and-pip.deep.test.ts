import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { withRunningJob } from '#ci/job-tokens/test-support.ts'
import { until } from '#test/until.ts'
import { type Place, w } from '#test/world.ts'
import { deployToken } from '../../packages/test-support.ts'

/** As in .ci/run, which installs them. Later versions know `--skip-existing` for PyPI itself alone. */
const [CURRENT, SKIPPING] = ['7.0.0', '5.1.1']
const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
const bin = (version: string) => join(cache, 'forgelet-tools', `twine-${version}`, 'bin')
const has = [CURRENT, SKIPPING].every((version) => existsSync(join(bin(version), 'twine')))
if (!has) console.log(`skipped: twine ${CURRENT} and ${SKIPPING} are not installed, see .ci/run`)

type Named = Pick<Place, 'id'>
interface Credential {
  readonly username: string
  readonly password: string
}

const index = ({ id }: Named, kind = 'projects') =>
  `${w.url}/api/v4/${kind}/${id}/${kind === 'groups' ? '-/' : ''}packages/pypi`

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'forgelet-pypi-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Programs see nothing of this machine's settings. */
const environment = (folder: string) => ({
  HOME: folder,
  PATH: process.env['PATH'],
  PIP_CONFIG_FILE: '/dev/null',
  PIP_NO_CACHE_DIR: '1',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  PYTHON_KEYRING_BACKEND: 'keyring.backends.null.Keyring',
})

async function built(version = '1.0.0', size = 100): Promise<{ folder: string; files: string[] }> {
  const folder = await emptyFolder()
  const script = join(import.meta.dirname, 'make_wheel.py')
  await promisify(execFile)(join(bin(CURRENT), 'python'), [
    script,
    folder,
    'forgelet_tool',
    version,
    String(size),
  ])
  return { folder, files: (await readdir(folder)).map((file) => join(folder, file)) }
}

/** Twine breaks lines wherever they are long. */
const inLine = (text: string) => text.replaceAll(/\s+/g, ' ')

/** Runs a program. @returns what it says, and whether it succeeded */
async function run(program: string, words: readonly string[], env: NodeJS.ProcessEnv) {
  try {
    const { stdout, stderr } = await promisify(execFile)(program, words, { env, timeout: 120_000 })
    return { code: 0, said: inLine(stdout + stderr) }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, said: inLine(stdout + stderr) }
  }
}

async function upload(
  project: Named,
  { username, password }: Credential,
  files: readonly string[],
  { version = CURRENT, options = [] as readonly string[] } = {},
) {
  const env = { ...environment(await emptyFolder()), TWINE_USERNAME: username, TWINE_PASSWORD: password }
  const words = ['upload', '--non-interactive', '--disable-progress-bar', '--verbose', ...options]
  return run(join(bin(version), 'twine'), [...words, '--repository-url', index(project), ...files], env)
}

/** Installs into an empty folder. @returns the source of what was installed */
async function install(url: string, { username, password }: Credential, what = 'forgelet-tool') {
  const folder = await emptyFolder()
  const from = new URL(`${url}/simple`)
  Object.assign(from, { username, password })
  const words = ['install', '--no-input', '--index-url', from.href, '--target', folder, what]
  const { code, said } = await run(join(bin(CURRENT), 'pip'), words, environment(folder))
  return {
    code,
    said,
    source: code === 0 ? await readFile(join(folder, 'forgelet_tool.py'), 'utf8') : undefined,
  }
}

const asPerson = ({ token }: { readonly token: string }): Credential => ({ username: 'me', password: token })

test.skipIf(!has)(
  'twine publishes, pip installs the newest or a named version',
  { timeout: 300_000 },
  async () => {
    const p = await w.project()
    for (const version of ['1.0.0', '1.1.0'])
      expect(await upload(p, asPerson(p.developer), (await built(version)).files)).toMatchObject({ code: 0 })
    expect((await install(index(p), asPerson(p.reporter))).source).toBe("VERSION = '1.1.0'\n")
    const named = await install(index(p), asPerson(p.reporter), 'Forgelet.Tool==1.0.0')
    expect(named.source).toBe("VERSION = '1.0.0'\n")
    const refused = await install(index(p), { username: 'me', password: 'wrong' })
    expect([refused.code, refused.said]).toEqual([1, expect.stringMatching(/401|No matching distribution/)])
  },
)

test.skipIf(!has)(
  'what exists is refused, or passed over where that is wanted',
  { timeout: 300_000 },
  async () => {
    const p = await w.project()
    const { files } = await built()
    const me = asPerson(p.developer)
    expect((await upload(p, me, files)).code).toBe(0)
    const again = await upload(p, me, files)
    expect([again.code, again.said]).toEqual([1, expect.stringContaining('has already been taken')])
    const skipping = await upload(p, me, files, { version: SKIPPING, options: ['--skip-existing'] })
    expect([skipping.code, skipping.said]).toEqual([0, expect.stringContaining('appears to already exist')])
  },
)

test.skipIf(!has)(
  'people, deploy tokens and jobs each with their credential',
  { timeout: 180_000 },
  async () => {
    const g = await w.group()
    const p = await withRunningJob({ parent: g.id })
    const { username, token } = await deployToken(p, 'project', 'write_package_registry')
    const reader = await deployToken(g, 'group', 'read_package_registry')
    const writers = [
      asPerson(p.developer),
      { username, password: token },
      { username: 'gitlab-ci-token', password: p.token },
    ]
    for (const [minor, credential] of writers.entries()) {
      const version = `1.${minor}.0`
      expect((await upload(p, credential, (await built(version)).files)).said).toContain('201 Created')
      const found = await install(index(p), credential)
      expect(found.source).toBe(`VERSION = '${version}'\n`)
    }
    const reading = { username: reader.username, password: reader.token }
    const refused = await upload(p, reading, (await built('2.0.0')).files)
    expect([refused.code, refused.said]).toEqual([1, expect.stringContaining('403')])
    for (const url of [index(p), index(g, 'groups')])
      expect((await install(url, reading)).source).toBe("VERSION = '1.2.0'\n")
    expect((await install(index(g, 'groups'), { username: 'gitlab-ci-token', password: p.token })).code).toBe(
      0,
    )
  },
)

test.skipIf(!has)('what was deleted is gone, and can be published again', { timeout: 300_000 }, async () => {
  const p = await w.project()
  const { files } = await built()
  const me = asPerson(p.developer)
  expect((await upload(p, me, files)).code).toBe(0)
  const [{ id }] = (await p.developer.get(`/projects/${p.id}/packages?package_type=pypi`)).body
  expect((await p.maintainer.delete(`/projects/${p.id}/packages/${id}`)).status).toBe(204)
  const gone = await install(index(p), me)
  expect([gone.code, gone.said]).toEqual([1, expect.stringContaining('No matching distribution')])
  expect((await upload(p, me, files)).code).toBe(0)
  expect((await install(index(p), me)).code).toBe(0)
})

test.skipIf(!has)('a killed upload leaves nothing', { timeout: 300_000 }, async () => {
  const p = await w.project()
  const { folder, files } = await built('1.0.0', 200_000_000)
  const wheel = files.filter((file) => file.endsWith('.whl'))
  const env = { ...environment(folder), TWINE_USERNAME: 'me', TWINE_PASSWORD: p.developer.token }
  const words = ['upload', '--non-interactive', '--repository-url', index(p), ...wheel]
  const twine = spawn(join(bin(CURRENT), 'twine'), words, { env, stdio: 'ignore' })
  const uploads = () =>
    w.db.selectFrom('file_leftovers').select('key').where('state', '=', 'uploading').execute()
  await until(async () => expect(await uploads()).not.toEqual([]))
  twine.kill('SIGKILL')
  await once(twine, 'exit')
  await until(async () => expect(await uploads()).toEqual([]))
  expect((await p.developer.get(`/projects/${p.id}/packages`)).body).toEqual([])
  expect((await upload(p, asPerson(p.developer), wheel)).code).toBe(0)
  expect((await install(index(p), asPerson(p.reporter))).code).toBe(0)
})
