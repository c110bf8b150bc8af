import { expect, it } from 'vitest'
import { git, projectWith, pushesTo, withGit } from './test-support.ts'

withGit()

const branch = async (work: Awaited<ReturnType<typeof projectWith>>['work'], name: string) => {
  await work.run('checkout', '--quiet', '-b', name)
  await work.commit({ [name]: name })
}

it('keeps the options for pipelines and integrations with the push', async () => {
  const { project, work } = await projectWith({ a: '1' })
  await work.commit({ a: '2' })
  const sent = ['ci.skip', 'ci.variable=A=1', 'ci.variable=B=2=3', 'ci.input=c=[1,2]', 'integrations.skip_ci']
  await work.run('push', '--quiet', ...sent.flatMap((one) => ['-o', one]), 'origin', 'main')
  expect((await pushesTo(project)).at(-1)).toMatchObject({
    push_options: {
      ci: { skip: true, variable: { 'A=1': 1, 'B=2=3': 1 }, input: { 'c=[1,2]': 1 } },
      integrations: { skip_ci: true },
    },
  })
  await work.commit({ a: '3' })
  await work.run('push', '--quiet', 'origin', 'main')
  expect((await pushesTo(project)).at(-1)).not.toHaveProperty('push_options')
})

it('names options that it does not know, without their values, and does no harm', async () => {
  const { project, work } = await projectWith({ a: '1' })
  const head = await work.commit({ a: '2' })
  const sent = [
    'surprise',
    'ci.unknown=secret',
    'ci.__proto__=x',
    '__proto__.x=1',
    'x\u001b[31m.y',
    'ci.skip',
  ]
  const pushed = await work.try('push', ...sent.flatMap((one) => ['-o', one]), 'origin', 'main')
  expect(pushed).toMatchObject({ code: 0 })
  expect(pushed.err).toMatch(
    /remote: Forgelet: This server does not know these push options: surprise, ci\.unknown, ci\.__proto__, __proto__\.x, x \[31m\.y\./,
  )
  expect(pushed.err).not.toContain('secret')
  expect((await pushesTo(project)).at(-1)).toMatchObject({
    commit_to: head,
    push_options: { ci: { skip: true } },
  })
})

it('refuses pushes with more options, or longer ones, than anybody needs', async () => {
  const { url, work, head } = await projectWith({ a: '1' })
  await branch(work, 'more')
  for (const [options, because] of [
    [Array.from({ length: 101 }, (_, at) => `ci.variable=A${at}=1`), 'a push has at most 100 options'],
    [
      Array.from({ length: 3 }, () => `ci.variable=A=${'x'.repeat(30_000)}`),
      'a push has at most 64 KB of options',
    ],
  ] as const) {
    const pushed = await work.try('push', ...options.flatMap((one) => ['-o', one]), 'origin', 'more')
    expect(pushed.code).toBe(1)
    expect(pushed.err.toLowerCase()).toContain(because.toLowerCase())
  }
  expect(await git().run(['ls-remote', '--heads', url])).toBe(`${head}\trefs/heads/main\n`)
})
