import { expect, test } from 'vitest'
import { VariableResolver } from './resolve-variables.ts'

type Written = string | { readonly value: string; readonly raw?: true; readonly file?: true }

const resolver = (variables: Readonly<Record<string, Written>>) =>
  new VariableResolver(
    new Map(
      Object.entries(variables).map(([key, held]) => {
        const { value, raw = false, file = false } = typeof held === 'string' ? { value: held } : held
        return [key, { key, value, raw, file }]
      }),
    ),
  )

const A = { A: 'one', RAW: { value: 'a$A', raw: true }, FILE: { value: 'text', file: true } } as const

test.each([
  ['nothing to write', 'nothing to write', true],
  ['$A ${A} %A%', 'one one one', true],
  ['$AB', '$AB', false],
  ['$RAW', 'a$A', true],
  ['$$A', '$A', true],
  ['$$A $A', '$A one', true],
  // What is left is resolved by the runner, which makes one sign of two.
  ['$CI_PROJECT_DIR/$A', '$CI_PROJECT_DIR/one', false],
  ['$CI_PROJECT_DIR/$RAW $$', '$CI_PROJECT_DIR/a$$A $$', false],
  ['$FILE', '$FILE', false],
  ['100%', '100%', true],
])('%s becomes %s', (text, value, raw) => {
  expect(resolver(A).text(text)).toEqual({ value, raw })
})

test('variables that refer to each other are written out, but for circles', () => {
  const all = resolver({ A: '$B-$C', B: '$C', C: 'c', X: '$Y', Y: 'y$X' })
  expect(all.valueOf('A')).toEqual({ value: 'c-c', raw: true })
  expect(all.valueOf('X')).toEqual({ value: 'y$X', raw: false })
  expect(all.valueOf('Z')).toBeUndefined()
})

test('values that double each other stay small, and take no time', () => {
  const chain = (end: string) =>
    Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [`V${n}`, n === 0 ? end : `$V${n - 1}$V${n - 1}`]),
    )
  expect(resolver(chain('')).valueOf('V59')).toEqual({ value: '', raw: true })
  const all = resolver(chain('0123456789'))
  const sum = Array.from({ length: 60 }, (_, n) => all.valueOf(`V${n}`)?.value.length ?? 0).reduce(
    (a, b) => a + b,
  )
  expect(sum).toBeLessThan(10_000_000)
})
