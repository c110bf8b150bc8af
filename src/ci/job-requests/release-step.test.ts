import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { releaseCommand } from './release-step.ts'

const run = promisify(execFile)
const link = { name: 'tool', url: 'https://example.org/tool?a="b"' }
const release = {
  tag_name: 'v$MAJOR',
  name: 'The "first"',
  description: 'What is\n`new`',
  milestones: ['1.0', 'later'],
  assets: { links: [link] },
}

/** Runs the step with a program that writes down its words. @param help what `glab` knows */
async function wordsOf(program: 'glab' | 'release-cli', given: typeof release, help = '') {
  const folder = await mkdtemp(join(tmpdir(), 'release-step-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const fake = `#!/bin/sh
case "$*" in *--help) echo '${help}' ;; *) printf '%s\\0' "$@" >> words; printf '\\n\\0' >> words ;; esac`
  await writeFile(join(folder, program), fake, { mode: 0o755 })
  await writeFile(join(folder, 'notes.md'), 'From a file')
  await run('sh', ['-e', '-c', releaseCommand(given)], {
    cwd: folder,
    env: {
      PATH: `${folder}:/usr/bin:/bin`,
      MAJOR: '1',
      CI_COMMIT_SHA: 'abc',
      CI_PROJECT_PATH: 'group/project',
      CI_SERVER_URL: 'http://forge:8080',
      CI_SERVER_FQDN: 'forge:8080',
      CI_SERVER_PROTOCOL: 'http',
      CI_JOB_TOKEN: 'secret',
    },
  })
  const text = await readFile(join(folder, 'words'), 'utf8')
  return text
    .split('\n\0')
    .slice(0, -1)
    .map((call) => call.split('\0').slice(0, -1))
}

test('glab makes the release, logged in with the token of the job', async () => {
  const [login, create = []] = await wordsOf('glab', release, '--no-close-milestone')
  expect(login?.join(' ')).toBe('auth login --hostname forge:8080 --api-protocol http --job-token secret')
  expect(create.slice(0, 5)).toEqual(['release', 'create', 'v1', '--repo', 'group/project'])
  const flags = create.slice(5)
  for (const [flag, value] of [
    ['--name', 'The "first"'],
    ['--notes', 'What is\n`new`'],
    ['--ref', 'abc'],
    ['--milestone', '1.0'],
    ['--assets-links', JSON.stringify([link])],
  ])
    expect(flags[flags.indexOf(flag ?? '') + 1]).toBe(value)
  expect(flags.filter((word) => word === '--milestone')).toHaveLength(2)
  expect(flags.slice(-2)).toEqual(['--no-update', '--no-close-milestone'])
})

test('a description of one word may be a file', async () => {
  for (const [description, notes] of [
    ['notes.md', 'From a file'],
    ['none.md', 'none.md'],
  ]) {
    const calls = await wordsOf(
      'glab',
      { ...release, description: description ?? '' },
      '--no-close-milestone',
    )
    const create = calls[1] ?? []
    expect(create[create.indexOf('--notes') + 1]).toBe(notes)
  }
})

test('release-cli makes it where there is no glab, or one that is too old', async () => {
  const [create = []] = await wordsOf('release-cli', release)
  const flags = {
    '--name': 'The "first"',
    '--description': 'What is\n`new`',
    '--tag-name': 'v1',
    '--ref': 'abc',
  }
  expect(create).toEqual(
    ['create', Object.entries(flags), '--milestone', '1.0', '--milestone', 'later', '--assets-link']
      .flat(2)
      .concat(JSON.stringify(link)),
  )
  await expect(wordsOf('glab', release, 'nothing')).rejects.toThrow('release-cli')
})

test('nothing in a text is carried out as a command', async () => {
  const name = 'costs $(touch made) and `touch made` and $((1+1)), by $CI_PROJECT_PATH'
  for (const [program, help] of [
    ['glab', '--no-close-milestone'],
    ['release-cli', ''],
  ] as const) {
    const create = (await wordsOf(program, { ...release, name }, help)).at(-1) ?? []
    expect(create[create.indexOf('--name') + 1]).toBe(
      'costs $(touch made) and `touch made` and $((1+1)), by group/project',
    )
  }
})
