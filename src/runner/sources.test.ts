import { appendFile, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectWith, urlWith, withGit } from '#code/git-http/test-support.ts'
import { runScript } from './run-script.ts'
import { gitEnvironment, sourcesScript } from './sources.ts'
import { jobWith, NOWHERE, temporaryFolder } from './test-support.ts'
import { JobVariables } from './variables.ts'

withGit()

const { PATH = '' } = process.env
const given = (values: Readonly<Record<string, string>>) =>
  new JobVariables(
    Object.entries(values).map(([key, value]) => ({ key, value })),
    NOWHERE,
  )

/** A job for the newest commit of a new project. */
async function jobFor(files: Record<string, string>) {
  const { project, work, head } = await projectWith(files)
  const { token } = project.developer
  const of = (sha: string, depth = 20) =>
    jobWith({
      token,
      git_info: {
        repo_url: urlWith(token, project.fullPath),
        sha,
        ref: 'main',
        refspecs: [`+${sha}:refs/pipelines/1`, '+refs/heads/main:refs/remotes/origin/main'],
        depth,
      },
    })
  const push = async (changed: Record<string, string>) => {
    const sha = await work.commit(changed)
    await work.run('push', '--quiet', 'origin', 'main')
    return sha
  }
  return { of, push, head, token }
}

async function get(home: string, job: ReturnType<typeof jobWith>, variables = given({})) {
  const file = join(home, 'script')
  await writeFile(file, sourcesScript(job, join(home, 'project'), variables))
  const log: Buffer[] = []
  const code = await runScript({
    file,
    folder: home,
    environment: { PATH, HOME: home, ...gitEnvironment(job) },
    signal: new AbortController().signal,
    write: async (piece) => void log.push(piece),
  })
  return { code, log: Buffer.concat(log).toString() }
}

test('the commit of a job is there, then that of the next one, and nothing else; the token is in no file', async () => {
  const p = await jobFor({ 'a.txt': '1' })
  await using home = await temporaryFolder()
  const read = () => readFile(join(home.path, 'project/a.txt'), 'utf8')
  expect(await get(home.path, p.of(p.head))).toMatchObject({ code: 0 })
  expect(await read()).toBe('1')
  await writeFile(join(home.path, 'project/left'), 'by the job before')
  const next = await p.push({ 'a.txt': '2' })
  expect(await get(home.path, p.of(next, 1))).toMatchObject({ code: 0 })
  expect(await read()).toBe('2')
  await expect(readFile(join(home.path, 'project/left'))).rejects.toThrow('ENOENT')
  // All of the history, after a part of it.
  expect(await get(home.path, p.of(next, 0))).toMatchObject({ code: 0 })
  const config = await readFile(join(home.path, 'project/.git/config'), 'utf8')
  expect(config).toContain('[remote "origin"]')
  expect(config).not.toContain(p.token)
})

test('variables choose what happens to the folder', async () => {
  const p = await jobFor({ 'a.txt': '1' })
  await using home = await temporaryFolder()
  const left = join(home.path, 'project/left')
  const leave = () => writeFile(left, '')
  await get(home.path, p.of(p.head))
  await leave()
  await get(home.path, p.of(p.head), given({ GIT_CLEAN_FLAGS: 'none' }))
  await readFile(left)
  await get(home.path, p.of(p.head), given({ GIT_STRATEGY: 'none' }))
  await readFile(left)
  await get(home.path, p.of(p.head), given({ GIT_STRATEGY: 'clone', GIT_CLEAN_FLAGS: 'none' }))
  await expect(readFile(left)).rejects.toThrow('ENOENT')
  await get(home.path, p.of(p.head), given({ GIT_STRATEGY: 'empty' }))
  await expect(readFile(join(home.path, 'project/a.txt'))).rejects.toThrow('ENOENT')
})

test('what a job leaves in its repository does not run for the next one', async () => {
  const p = await jobFor({ 'a.txt': '1', '.gitattributes': '*.txt filter=evil' })
  await using home = await temporaryFolder()
  await get(home.path, p.of(p.head))
  const evil = join(home.path, 'evil')
  const git = join(home.path, 'project/.git')
  await writeFile(join(git, 'command'), `#!/bin/sh\ntouch ${evil}\n`, { mode: 0o755 })
  const command = join(git, 'command')
  await appendFile(
    join(git, 'config'),
    `[core]\nfsmonitor = ${command}\nhooksPath = ${git}/mine\n[filter "evil"]\nsmudge = ${command}\n[fetch]\nrecurseSubmodules = yes\n`,
  )
  for (const folder of ['hooks', 'mine']) {
    await mkdir(join(git, folder), { recursive: true })
    await copyFile(command, join(git, folder, 'post-checkout'))
  }
  const next = await p.push({ 'a.txt': '2' })
  expect(await get(home.path, p.of(next))).toMatchObject({ code: 0 })
  expect(await readFile(join(home.path, 'project/a.txt'), 'utf8')).toBe('2')
  await expect(readFile(evil)).rejects.toThrow('ENOENT')
})

test('the log says of an unknown strategy what is done instead', async () => {
  const p = await jobFor({ 'a.txt': '1' })
  await using home = await temporaryFolder()
  const { code, log } = await get(home.path, p.of(p.head), given({ GIT_STRATEGY: 'colne' }))
  expect([code, log]).toEqual([
    0,
    expect.stringMatching(/^GIT_STRATEGY is none of fetch, clone, none, empty: fetch is done\n/),
  ])
})

test('a commit that is not there fails, and says so', async () => {
  const p = await jobFor({ 'a.txt': '1' })
  await using home = await temporaryFolder()
  const { code, log } = await get(home.path, p.of('1'.repeat(40)))
  expect([code > 0, log]).toEqual([true, expect.stringMatching(/fatal|error/)])
  expect(() => sourcesScript(p.of('--upload-pack=evil'), '/x', given({}))).toThrow('none')
})

test('what a server says of references cannot run', async () => {
  const p = await jobFor({ 'a.txt': '1' })
  await using home = await temporaryFolder()
  const evil = join(home.path, 'evil')
  const job = p.of(p.head)
  const git_info = {
    ...job.git_info,
    ref: `'; touch ${evil}; '`,
    refspecs: [`--upload-pack=touch ${evil}`, ...(job.git_info.refspecs ?? [])],
  }
  const flags = given({ GIT_CLEAN_FLAGS: `-ffdx; touch ${evil}` })
  await get(home.path, { ...job, git_info }, flags)
  await expect(readFile(evil)).rejects.toThrow('ENOENT')
})
