import { expect, test } from 'vitest'
import { expectQuick } from '#test/quick.ts'
import { mergedYaml } from './merged-yaml.ts'
import { errorsOf, read } from './test-support.ts'
import { toJson } from './values.ts'
import { readYaml } from './yaml.ts'

const json = (text: string) => toJson(readYaml(text, 'x').content)

test('merge keys are merged where they stand', () => {
  expect(json('x: &x {a: 1, b: 1}\ny: &y {a: 2}\nz: {a: 0, <<: *x, <<: *y}')).toMatchObject({
    z: { a: 2, b: 1 },
  })
  expect(json('x: &x {a: 1}\nz:\n  <<: *x\n  a: 3')).toMatchObject({ z: { a: 3 } })
})

test('of a list of aliases the first wins', () => {
  expect(json('x: &x {a: 1}\ny: &y {a: 2, b: 2}\nz: {<<: [*x, *y]}')).toMatchObject({ z: { a: 1, b: 2 } })
})

test('of equal keys the last counts', () => {
  expect(json('a: 1\na: 2')).toEqual({ a: 2 })
})

test('scalars are those of YAML 1.1 as Ruby reads them', () => {
  const text =
    'a: 40_000_000\nb: 0644\nc: yes\nd: y\ne: ~\nf: 0x1f\ng: 1:30\nh: "0644"\ni: 1.0\nj: 1.5\nk: v1\non: 1\nYES: 2\nl: 08'
  expect(json(text)).toEqual({
    a: 40_000_000,
    b: 420,
    c: true,
    d: 'y',
    e: null,
    f: 31,
    g: 90,
    h: '0644',
    i: '1.0',
    j: 1.5,
    k: 'v1',
    true: 2,
    l: '08',
  })
})

test('a bomb of aliases is an error at once', async () => {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
  for (let at = 1; at < 12; at += 1) {
    lines.push(`a${at}: &a${at} [${Array.from({ length: 10 }, () => `*a${at - 1}`).join(', ')}]`)
  }
  await expectQuick(async () => {
    expect(errorsOf(await read(lines.join('\n')))).toEqual(['The parsed YAML is too big'])
  }, 500)
})

test('a thousand aliases are honest', async () => {
  const jobs = Array.from({ length: 1_000 }, (_, at) => `job ${at}: *job`)
  const { errors, jobs: read1000 } = await read(`.job: &job {script: x}\n${jobs.join('\n')}`)
  expect([errors, read1000.length]).toEqual([[], 1_000])
})

test('what is nested too deep is an error', async () => {
  expect(errorsOf(await read(`a: ${'['.repeat(5_000)}${']'.repeat(5_000)}`))).toEqual([
    'The parsed YAML is too big',
  ])
})

test('references that multiply are an error', async () => {
  const lines = ['.x0: [x, x, x, x, x, x, x, x, x, x]']
  for (let at = 1; at < 9; at += 1) {
    lines.push(`.x${at}: [${Array.from({ length: 10 }, () => `!reference [.x${at - 1}]`).join(', ')}]`)
  }
  const { errors } = await read(`${lines.join('\n')}\na: {script: !reference [.x8]}`)
  expect(errors).toHaveLength(1)
})

test('files that include each other are an error', async () => {
  const { errors } = await read('include: x.yml', { files: { 'x.yml': 'include: x.yml' } })
  expect(errors.map(({ text }) => text)).toEqual(['Maximum of 150 nested includes are allowed!'])
})

test('the merged configuration is one text', async () => {
  const { merged } = await read('include: x.yml\na: {extends: .x}', {
    files: { 'x.yml': '.x: {script: [go]}' },
  })
  expect(merged && mergedYaml(merged)).toBe(
    '---\n.x:\n  script:\n    - go\na:\n  script:\n    - go\n  extends: .x\n',
  )
})
