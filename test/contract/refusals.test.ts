import { expect, test } from 'vitest'
import { files, imports, textOf } from '../../scripts/districts.ts'
import { knownTexts } from '#platform/known-texts.ts'

/** What speaks HTTP: routes, pages and hooks, and what stands around them. Everything else is a verb or what verbs use. */
const SPEAKS_HTTP = /^platform\/(?:http|pages|openapi)\/|(?:^|[/-])(?:routes|pages?|errors)\.ts$/
const ALSO: Readonly<Record<string, string>> = {
  'app.ts': 'writes all errors',
  'administration/instance/health.ts': 'has the routes of health checks',
  'console/frame/api.ts': 'shows refusals of the API on pages',
  'console/frame/group.ts': 'sends browsers from a former path to the one of today',
  'console/frame/problems.ts': 'shows refusals beside the fields of forms',
  'console/frame/project.ts': 'sends browsers from a former path to the one of today',
  'code/git-http/authorize-git.ts': 'identifies those who send requests of git',
  'code/git-ssh/serve.ts': 'tells refusals to those who come over SSH',
  'code/git-transport/receive-pack.ts': 'reports to git what became of a push',
  'code/git-http/transfer.ts': 'reads the bodies of requests of git',
  'identity/tokens/rotation.ts': 'handles the errors of the routes that rotate',
  'monitoring/alert-receiver/decompress.ts': 'reads bodies with a content encoding: 415',
  'monitoring/error-tracking/collector/refusal.ts': 'writes refusals as SDKs read them',
  'planning/spam/check-for-spam.ts': 'answers a request before its route is reached',
  'platform/files/send-file.ts': 'answers ranges: 416',
}

test('verbs refuse without knowing HTTP: docs/decisions/0032-refusals.md', () => {
  const breaking = imports
    .filter(({ to }) => to === 'platform/http/errors.ts')
    .map(({ from }) => from)
    .filter((from) => !SPEAKS_HTTP.test(from))
  expect([...new Set(breaking)].toSorted()).toEqual(Object.keys(ALSO).toSorted())
})

/** Looks at the number or the text of what was caught. */
const LOOKS =
  /\berr(?:or)?\.(?:status|statusCode)\b|\[[\d, ]+\]\.includes\(err|\.test\((?:String\()?err(?:or)?(?:\.message)?\)|\berr(?:or)?\.message (?:===|!==)|\berr(?:or)?\.message\.(?:includes|startsWith|endsWith|match)/
/** Errors of others, which have nothing else. */
const OF_OTHERS: Readonly<Record<string, string>> = {
  'platform/db/errors.ts': '`pg` says in its message that there is no connection',
  'platform/files/s3/client.ts': 'the answers of a store have numbers',
  'platform/files/s3/upload.ts': 'the answers of a store have numbers',
  'platform/http/errors.ts': 'the place that knows the numbers',
  'platform/http/shared-counters.ts': 'the client of Redis has no codes',
  'platform/untrusted.ts': 'Node.js says in its message what is wrong with a certificate',
  'runner/run.ts': 'the server that the runner asks refuses with numbers',
}

test('no catch looks at a number or at a text', () => {
  const catches = /\bcatch \(err|\b(?:error|thrown|failure): unknown/
  const breaking = files.filter((file) => catches.test(textOf(file)) && LOOKS.test(textOf(file)))
  expect(breaking.toSorted()).toEqual(Object.keys(OF_OTHERS).toSorted())
})

const COMMENT = /\/\*\*[^]*?\*\/|^ *\/\/.*$/gm

test('a text that clients match is written down once', () => {
  const others = files
    .filter((file) => file !== 'platform/known-texts.ts')
    .map((file) => [file, textOf(file).replace(COMMENT, '')])
  // “405 Method Not Allowed” also stands for the status itself.
  const texts = Object.values(knownTexts).filter((text) => !/^\d{3} [A-Z][\w ]+$/.test(text))
  const twice = others.filter(([, content = '']) =>
    texts.some((text) => content.replaceAll("\\'", "'").includes(text)),
  )
  expect(twice.map(([file]) => file)).toEqual([])
})
