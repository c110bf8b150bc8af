import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { Client } from '#test/client.ts'
import { ROOT_TOKEN } from '#test/database.ts'
import { plainEnvironment } from '#test/environment.ts'
import { newDatabase, urlOf } from '#test/new-database.ts'
import { filesOfTree, tree } from '#test/tree.ts'
import { folder, forgelet, READY } from './forgelet.ts'

// A copy of the sources, so that they can be changed. Nothing of the tests is in it.
const place = mkdtempSync(join(tmpdir(), 'forgelet bundle-'))
chmodSync(place, 0o711)
afterAll(() => rmSync(place, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 }))
const copy = join(place, 'a copy')
const start = join(copy, 'scripts/start.js')
const builds = () => readdirSync(join(copy, 'build')).toSorted()

/** What `npm start -- ARGS` does, for commands that end. */
const run = (...args: string[]) =>
  spawnSync(process.execPath, [start, ...args], { env: plainEnvironment(), encoding: 'utf8' })

function edit(file: string, from: string, to: string): void {
  const text = readFileSync(join(copy, file), 'utf8')
  expect(text).toContain(from)
  writeFileSync(join(copy, file), text.replace(from, to))
}

beforeAll(() => {
  for (const file of filesOfTree('src', 'scripts', 'package.json')) cpSync(join(tree, file), join(copy, file))
  symlinkSync(join(tree, 'node_modules'), join(copy, 'node_modules'))
})

describe('npm start', { timeout: 180_000 }, () => {
  test('builds what is missing, and serves with what is built', async () => {
    const program = forgelet(['--ephemeral'], { FORGELET_ROOT_TOKEN: ROOT_TOKEN }, start)
    const url = await program.saying(READY)
    const root = new Client(url, { 'private-token': ROOT_TOKEN })
    expect((await root.get('/version')).body.revision).toMatch(/^\d+\.\d+\.\d+$/)
    // By the process that starts git.
    const { body } = await root.post('/projects', { name: 'first', initialize_with_readme: true })
    expect((await root.get(`/projects/${body.id}/repository/commits`)).body).toHaveLength(1)
    // By parts that are loaded when they are first used.
    const page = { title: 'Home', content: '# Hello' }
    expect((await root.post(`/projects/${body.id}/wikis`, page)).status).toBe(201)
    const rendered = await root.get(`/projects/${body.id}/wikis/Home?render_html=true`)
    expect(rendered.body.content).toContain('Hello</h1>')
    expect((await root.get(`/projects/${body.id}/languages`)).status).toBe(200)
    expect((await fetch(`${url}/-/docs`)).status).toBe(200)
    // By scripts that browsers load, and that load others: an editor with its languages.
    const script = async (name: string) => {
      const answer = await fetch(`${url}/-/islands/${name}`)
      expect([name, answer.status]).toEqual([name, 200])
      return [...(await answer.text()).matchAll(/["'`]\.\/([\w-]+\.js)["'`]/g)].map(([, file]) => file ?? '')
    }
    const [editor = ''] = await script('editor.js')
    const languages = await script(editor)
    expect(languages.length).toBeGreaterThan(50)
    for (const name of new Set(languages)) await script(name)
    // By the process that reads configurations.
    const file = { branch: 'main', commit_message: 'Run', content: 'job: { script: make }' }
    const added = await root.post(`/projects/${body.id}/repository/files/.gitlab-ci.yml`, file)
    expect(added.status).toBe(201)
    expect((await root.post(`/projects/${body.id}/pipeline`, { ref: 'main' })).status).toBe(201)
    program.process.kill('SIGTERM')
    expect(await program.ended).toBe(0)
    expect(builds()).toHaveLength(1)
  })

  test.each([
    ['SIGTERM', 'npm alone'],
    ['SIGKILL', 'npm alone'],
    ['SIGINT', 'all, as a terminal does'],
  ] as const)('%s to %s stops the server behind npm', async (signal, whom) => {
    const FORGELET_DATABASE_URL = urlOf(await newDatabase('empty'))
    const npm = spawn('npm', ['start', '--', 'serve'], {
      cwd: copy,
      env: { ...plainEnvironment(), FORGELET_PORT: '0', FORGELET_DATA: folder(), FORGELET_DATABASE_URL },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    })
    const ended = once(npm, 'exit')
    onTestFinished(() => void npm.kill('SIGKILL'))
    let out = ''
    for await (const piece of npm.stdout) if (READY.test((out += String(piece)))) break
    const url = READY.exec(out)?.[1] ?? ''
    const server = Number(/"pid":(\d+)/.exec(out)?.[1])
    expect((await fetch(`${url}/-/liveness`)).status).toBe(200)
    process.kill(whom === 'npm alone' ? (npm.pid ?? 0) : -(npm.pid ?? 0), signal)
    await ended
    const lives = () => existsSync(`/proc/${server}`)
    await expect.poll(lives).toBe(false)
    await expect(fetch(url)).rejects.toThrow('fetch failed')
  })

  test('builds nothing again until a source changes, and names the sources in stack traces', () => {
    const before = builds()
    expect(run('--version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(builds()).toEqual(before)
    edit('src/program/cli/commands.ts', 'Start the server.', 'Start the changed server.')
    const lines = readFileSync(join(copy, 'src/program/cli/migrate.ts'), 'utf8').split('\n')
    const line = lines.findIndex((text) => text.startsWith('export async function migrateCommand'))
    lines.splice(line + 1, 0, '  if (terminal !== undefined)', "    throw new TypeError('a defect')")
    writeFileSync(join(copy, 'src/program/cli/migrate.ts'), lines.join('\n'))
    expect(run('--help').stdout).toContain('Start the changed server.')
    // The one before stays, for a server that runs.
    expect(builds()).toHaveLength(2)
    expect(builds()).toEqual(expect.arrayContaining(before))

    const { status, stderr } = run('migrate')
    expect(status).toBe(1)
    expect(stderr).toContain('TypeError: a defect')
    expect(stderr).toContain(`${join(copy, 'src/program/cli/migrate.ts')}:${line + 3}:11`)
    expect(stderr).toContain(join(copy, 'src/program/cli/run.ts'))
  })

  test('runs the sources where nothing can be built', () => {
    rmSync(join(copy, 'build'), { recursive: true })
    writeFileSync(join(copy, 'build'), '')
    const { stdout, stderr } = run('--version')
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(stderr).toContain('so its sources run')
    rmSync(join(copy, 'build'))
    expect(existsSync(join(copy, 'build'))).toBe(false)
  })
})
