import { expect, test } from 'vitest'
import { commits, importInto } from '#test/repositories.ts'
import { w } from '#test/world.ts'

test('tells the languages of the default branch', async () => {
  const { id, reporter } = await w.project()
  const files = {
    'src/a.ts': 'x'.repeat(600),
    'src/b.tsx': 'x'.repeat(100),
    'lib/c.h': 'x'.repeat(200),
    Makefile: 'x'.repeat(100),
    // None of these is code of the project.
    'README.md': 'x'.repeat(9_000),
    'data.json': 'x'.repeat(9_000),
    'vendor/d.go': 'x'.repeat(9_000),
    'node_modules/x/index.js': 'x'.repeat(9_000),
    'docs/example.py': 'x'.repeat(9_000),
    'app.min.js': 'x'.repeat(9_000),
    'link.rb': { mode: '120000', data: 'x'.repeat(900) },
    'module.rb': { mode: '160000', data: '1'.repeat(40) },
    unknown: 'x',
  }
  await importInto({ id }, commits({ files }, { branch: 'other', files: { 'a.rs': 'x' } }))
  const path = `/projects/${id}/languages`
  const { status, body } = await reporter.get(path)
  expect([status, body]).toEqual([200, { TypeScript: 70, C: 20, Makefile: 10 }])
  expect(Object.keys(body)).toEqual(['TypeScript', 'C', 'Makefile'])
  await importInto({ id }, `reset refs/heads/main\nfrom refs/heads/other\n\n`)
  expect((await reporter.get(path)).body).toEqual({ Rust: 100 })
})
