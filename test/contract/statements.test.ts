import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { locks } from '#platform/db/locks.ts'

const src = new URL('../../src/', import.meta.url)
const sources = readdirSync(src, { recursive: true })
  .map(String)
  .filter((file) => file.endsWith('.ts') && !/(?:\.test|test-support)\.ts$/.test(file))
  // Without comments, which may say what they like.
  .map(
    (file) =>
      [file, readFileSync(new URL(file, src), 'utf8').replace(/^\s*(?:\/?\*|\/\/).*$/gm, '')] as const,
  )

/** The places in the program that hold such a text. */
const holding = (pattern: RegExp) =>
  sources.flatMap(([file, text]) => [...text.matchAll(pattern)].map(([found]) => `${file}: ${found}`))

test('statements name their columns: what PostgreSQL keeps of a `*` fails when a migration adds a column', () => {
  expect(holding(/\.(?:selectAll|returningAll)\(/g)).toEqual([])
  expect(holding(/\b(?:select|returning|,)\s+(?:"?\w+"?\.)?\*(?=[\s,])[^\n]*/gi)).toEqual([])
})

test('every advisory lock has a number of its own, and none is taken by another number', () => {
  const numbers = Object.values(locks)
  expect(new Set(numbers).size).toBe(numbers.length)
  const taking = holding(/advisory\w*\((?!\$1\b|hashtextextended\(|\$\{(?:sql\.lit\()?locks\.\w+)[^)]*\)/g)
  expect(taking).toEqual([])
})
