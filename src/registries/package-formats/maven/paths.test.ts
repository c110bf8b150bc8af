import { describe, expect, test } from 'vitest'
import { mavenFileOf, mavenUrl } from './paths.ts'

const file = { name: 'com/example/app', version: '1.0', fileName: 'app-1.0.jar', checksum: undefined }

describe('what a path names', () => {
  test.each([
    ['com/example/app/1.0', 'app-1.0.jar', file],
    ['com/example/app/1.0', 'app-1.0.jar.sha512', { ...file, checksum: 'sha512' }],
    ['app/1.0', 'app-1.0.pom', { ...file, name: 'app', fileName: 'app-1.0.pom' }],
    ['com/example/app', 'maven-metadata.xml', { ...file, version: null, fileName: 'maven-metadata.xml' }],
    [
      'com/example/app/1.0-SNAPSHOT',
      'maven-metadata.xml.md5',
      { ...file, version: '1.0-SNAPSHOT', fileName: 'maven-metadata.xml', checksum: 'md5' },
    ],
  ])('%s/%s', (path, name, expected) => {
    expect(mavenFileOf(path, name)).toEqual(expected)
  })

  test.each([
    ['1.0', 'app-1.0.jar'],
    ['com/../app/1.0', 'x.jar'],
    ['com//app/1.0', 'x.jar'],
    ['/com/app/1.0', 'x.jar'],
    ['com/app/1.0', '..'],
    ['com/app/1.0', 'a..b'],
    ['com/app/1.0', '.sha1'],
    ['com/app/1.0', 'a b.jar'],
    ['com/app/1.0', 'a/b.jar'],
    ['com\\app/x/1.0', 'a.jar'],
    ['com/app/1.0', 'x'.repeat(256)],
    [`${'x/'.repeat(128)}app/1.0`, 'x.jar'],
  ])('%s/%s names nothing', (path, name) => {
    expect(mavenFileOf(path, name)).toBeUndefined()
  })
})

describe('addresses of files', () => {
  test.each([
    [
      '/api/v4/projects/1/packages/maven/a/b/1/x.jar?y=/',
      '/api/v4/projects/1/packages/maven/a%2Fb%2F1/x.jar?y=/',
    ],
    ['/api/v4/groups/g%2Fh/-/packages/maven/a/1/x', '/api/v4/groups/g%2Fh/-/packages/maven/a%2F1/x'],
    ['/api/v4/packages/maven/a/b/1/x', '/api/v4/packages/maven/a%2Fb%2F1/x'],
    ['/api/v4/packages/maven/a%2Fb%2F1/x', '/api/v4/packages/maven/a%2Fb%2F1/x'],
    ['/api/v4/packages/maven/x', '/api/v4/packages/maven/x'],
    ['/api/v4/projects/1/packages/generic/a/1/x', '/api/v4/projects/1/packages/generic/a/1/x'],
  ])('%s is %s', (url, expected) => {
    expect(mavenUrl(url)).toBe(expected)
  })
})
