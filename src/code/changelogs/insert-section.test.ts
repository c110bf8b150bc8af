import { expect, test } from 'vitest'
import { cpuTime } from '#test/quick.ts'
import { insertSection, type Section } from './insert-section.ts'
import { readVersion } from './versions.ts'

function section(name: string): Section {
  const version = readVersion(name)
  if (version === undefined) throw new Error(`${name} is no version`)
  return { version, title: `## ${name} (day)`, body: `New in ${name}\n` }
}

const inserted = (file: string, name = '2.0.0') => insertSection(file, section(name))

test('puts sections where they belong, whatever is around', () => {
  const own = '## 2.0.0 (day)\n\nNew in 2.0.0\n'
  expect(inserted('')).toBe(own)
  expect(inserted('# News\n')).toBe(`# News\n\n${own}`)
  expect(inserted('## 1.0.0')).toBe(`${own}\n## 1.0.0\n`)
  expect(inserted('## 3.0.0\n')).toBe(`## 3.0.0\n\n${own}`)
  expect(inserted('## About\n\n### 1.0.0\n\n ## 1.0.0\ntext ## 1.0.0\n')).toMatch(
    /text ## 1\.0\.0\n\n## 2\.0\.0/,
  )
  expect(inserted('a\r\n\r\n## 3.0.0\r\n\r\nb\r\n## 1.0.0\r\nc')).toBe(
    `a\n\n## 3.0.0\n\nb\n\n${own}\n## 1.0.0\nc\n`,
  )
  expect(inserted('## 2.0.0 (before)\n\nOld\n')).toBe('## 2.0.0 (before)\n\nNew in 2.0.0\n\nOld\n')
  expect(inserted('## 2.0.0')).toBe('## 2.0.0\n\nNew in 2.0.0\n')
})

test('looks at millions of lines within a moment', async () => {
  const insert = () => {
    expect(inserted('\n'.repeat(8 * 1024 * 1024)).trim()).toBe('## 2.0.0 (day)\n\nNew in 2.0.0')
    expect(inserted('a\n'.repeat(4 * 1024 * 1024)).length).toBeGreaterThan(8 * 1024 * 1024)
  }
  expect(await cpuTime(insert)).toBeLessThan(1_000)
})
