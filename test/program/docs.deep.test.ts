import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { ROOT_TOKEN } from '#test/database.ts'
import { filesOfTree, isIgnored, tree } from '#test/tree.ts'
import { openWorld } from '#test/world.ts'

// A world of its own: a guide checks all repositories, and other tests leave broken ones behind.
const w = await openWorld()
afterAll(() => w.running.stop())

const text = (path: string) => readFileSync(join(tree, path), 'utf8')
const pages = filesOfTree('*.md')

/** The fenced blocks of a page in one language. */
const blocks = (path: string, language: string) =>
  [...text(path).matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, found, block = '']) =>
    found === language ? [block] : [],
  )

describe('the docs', () => {
  test.each(pages)('%s names only paths that exist', (page) => {
    const named = [
      ...text(page).matchAll(/(?<![\w/.-])(?:src|test|docs|scripts|bench|\.ci)\/[\w./-]*\w\/?/g),
    ].map(([path]) => path)
    const linked = [...text(page).matchAll(/\]\((?!https?:|\/)([^)#]+)/g)].map(([, path = '']) =>
      join(page, '..', path),
    )
    const missing = [...named, ...linked].filter((path) => !existsSync(join(tree, path)))
    expect(missing.filter((path) => !isIgnored(path))).toEqual([])
  })

  test('every dependency has its reason', () => {
    const manifest = JSON.parse(text('package.json')) as Record<string, Record<string, string>>
    const page = text('docs/decisions/0002-dependencies.md')
    const all = ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) =>
      Object.keys(manifest[kind] ?? {}),
    )
    expect(all.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  })

  test('every licence of a package is named where it is no usual one', () => {
    const { packages } = JSON.parse(text('package-lock.json')) as {
      packages: Record<string, { license?: string }>
    }
    const page = text('docs/decisions/0002-dependencies.md')
    const found = new Set(
      Object.values(packages).flatMap(({ license = '' }) => license.match(/[\w.-]+\d[\w.-]*/g) ?? []),
    )
    expect([...found].filter((license) => !page.includes(license))).toEqual([])
  })

  test("the README's request gets the README's answer", async () => {
    const curl = blocks('README.md', 'sh').find((block) => block.startsWith('curl '))
    const [shown = ''] = blocks('README.md', 'json')
    const here = (part: string) => part.replaceAll('http://127.0.0.1:8080', w.url)
    const { stdout } = await promisify(execFile)(
      'sh',
      ['-c', here(curl ?? '').replace('curl ', 'curl --silent ')],
      {
        env: { ...process.env, TOKEN: ROOT_TOKEN },
      },
    )
    const { id, ...expected } = JSON.parse(here(shown)) as Record<string, unknown>
    expect(JSON.parse(stdout)).toMatchObject({
      ...expected,
      id: expect.any(typeof id === 'number' ? Number : String),
    })
  })

  /** The blocks of a guide for one shell. Refusals end it; it then says in which block, behind what curl shows of them. */
  function commandsOf(page: string): string {
    const start = [
      'set -e',
      'curl() { command curl --silent --show-error --fail-with-body "$@"; }',
      `forgelet() { '${process.execPath}' '${join(tree, 'scripts/start.js')}' "$@"; }`,
      `trap '[ $? = 0 ] || echo "in the block at ${page}:$LINE" >&2' EXIT`,
    ]
    const parts = [...text(page).matchAll(/^```sh\n(.*?)^```$/gms)].map(({ 1: block = '', index }) => {
      const line = text(page).slice(0, index).split('\n').length
      return `LINE=${line}\n${block.replaceAll('http://127.0.0.1:8080', w.url)}`
    })
    return [...start, ...parts].join('\n')
  }

  // As the reader of a page has it: without a plan, unless the page shows how to get one.
  const forgetLicenses = async () => {
    const { body } = await w.root.get('/licenses')
    for (const { id } of body as readonly { id: number }[]) await w.root.delete(`/license/${id}`)
  }

  test.each(pages.filter((page) => page.startsWith('docs/guides/')))(
    'the commands of %s work',
    async (page) => {
      const { body: settings } = await w.root.get('/application/settings')
      onTestFinished(async () => {
        await forgetLicenses()
        await w.root.put('/application/settings', settings)
      })
      // Guides set who commits, and how git signs in: not for whoever runs the tests.
      const folder = mkdtempSync(join(tmpdir(), 'forgelet-guide-'))
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
      const GIT_CONFIG_GLOBAL = join(folder, 'gitconfig')
      // Whoever runs the tests may have told npm not to ask again for what it has.
      const npm = { npm_config_prefer_offline: 'false' }
      const env = { ...process.env, ...npm, GIT_CONFIG_GLOBAL, TOKEN: ROOT_TOKEN, ...w.environment }
      const { stdout } = await promisify(execFile)('sh', ['-c', commandsOf(page)], { env }).catch(
        (error: { readonly stdout: string; readonly stderr: string }) => {
          throw new Error(`${error.stderr}\n${error.stdout.slice(-2_000)}`)
        },
      )
      expect(stdout).toContain('"id":')
    },
    // That of Python takes a core for 16 seconds: `venv` unpacks and compiles pip, and pip the 25 packages of twine. Beside others it is a minute, or two.
    300_000,
  )

  test('the example of docs/testing.md runs', async () => {
    const [example = ''] = blocks('docs/testing.md', 'ts')
    const file = join(tree, 'test/program/example-of-the-docs.test.ts')
    onTestFinished(() => rmSync(file, { force: true }))
    writeFileSync(file, example)
    const vitest = join(tree, 'node_modules/vitest/vitest.mjs')
    const args = [vitest, 'run', '--config', 'test/program/example.config.ts']
    const env = { ...process.env, NO_COLOR: '1' }
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: tree, env })
    expect(stdout).toMatch(/Tests +1 passed/)
  }, 180_000)
})
