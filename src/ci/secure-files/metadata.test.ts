import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '#test/temporary-folder.ts'
import { type Place, w } from '#test/world.ts'

const noOpenssl = spawnSync('openssl', ['version']).error !== undefined
if (noOpenssl) console.log('skipped: openssl is not installed')

const SERIAL = '75949910542696343243264405377658443914'
const subject = {
  UID: 'ABC123XYZ',
  CN: 'Apple Distribution: Organization Name (ABC123XYZ)',
  OU: 'ABC123XYZ',
  O: 'Organization Name',
  C: 'US',
}
const folder = mkdtempSync(join(temporaryFolder(), 'forgelet-secure-files-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const at = (name: string) => join(folder, name)
const openssl = (...args: readonly string[]) =>
  execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'ignore'] })

let place: Place
beforeAll(async () => {
  place = await w.project()
  if (noOpenssl) return
  const name = Object.entries(subject).map(([part, value]) => `/${part}=${value}`)
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', at('key')]
  const terms = ['-days', '100', '-set_serial', SERIAL, '-subj', name.join('')]
  openssl('req', '-x509', ...key, ...terms, '-out', at('pem'))
  openssl('x509', '-in', at('pem'), '-outform', 'DER', '-out', at('der'))
})

/** What is known of a file with these bytes. */
async function sent(name: string, bytes: Buffer | string) {
  const form = new FormData()
  form.append('name', `${crypto.randomUUID()}.${name}`)
  form.append('file', new Blob([new Uint8Array(Buffer.from(bytes))]), name)
  const { status, body } = await place.maintainer.send('POST', `/projects/${place.id}/secure_files`, { form })
  expect([status, body.message]).toEqual([201, undefined])
  expect((await place.developer.get(`/projects/${place.id}/secure_files/${body.id}`)).body).toEqual(body)
  const { metadata, metadata_parsable, expires_at } = body
  return { metadata, metadata_parsable, expires_at }
}

/** Signs as Apple does. */
function signed(content: string): Buffer {
  writeFileSync(at('content'), content)
  const form = ['-sign', '-binary', '-nodetach', '-outform', 'DER']
  return openssl('cms', ...form, '-signer', at('pem'), '-inkey', at('key'), '-in', at('content'))
}

const plist = (dict: string) => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>${dict}</dict></plist>`

const nothing = { metadata: null, metadata_parsable: true, expires_at: null }

describe.skipIf(noOpenssl)('of a secure file', () => {
  test.each(['der', 'pem'])(
    'that is a certificate (%s), people see whose it is and when it ends',
    async (form) => {
      const { metadata, ...rest } = await sent('cer', readFileSync(at(form)))
      const expires_at = expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/)
      expect(metadata).toEqual({ id: SERIAL, issuer: subject, subject, expires_at })
      expect(rest).toEqual({ metadata_parsable: true, expires_at: metadata.expires_at })
    },
  )

  test('that is a provisioning profile, people see what it is for', async () => {
    const profile = plist(`
      <key>AppIDName</key><string>Demo &amp; more</string>
      <key>ApplicationIdentifierPrefix</key><array><string>ABC123XYZ</string></array>
      <key>Platform</key><array><string>iOS</string></array>
      <key>IsXcodeManaged</key><false/>
      <key>DeveloperCertificates</key><array><data>${readFileSync(at('der')).toString('base64')}</data></array>
      <key>Entitlements</key><dict>
        <key>application-identifier</key><string>ABC123XYZ.com.example.demo</string>
        <key>get-task-allow</key><true/>
        <key>__proto__</key><integer>3</integer>
      </dict>
      <key>ExpirationDate</key><date>2027-08-01T18:15:35Z</date>
      <key>ProvisionedDevices</key><array><string>00008101-001454860C10001E</string></array>
      <key>TeamIdentifier</key><array><string>ABC123XYZ</string></array>
      <key>TeamName</key><string>Example</string>
      <key>UUID</key><string>6b9fcce1-b9a9-4b37-b2ce-ec4da2044abf</string>`)
    const { metadata, ...rest } = await sent('mobileprovision', signed(profile))
    expect(JSON.parse(JSON.stringify(metadata))).toEqual(
      JSON.parse(`{
        "id": "6b9fcce1-b9a9-4b37-b2ce-ec4da2044abf",
        "app_id": "ABC123XYZ.com.example.demo",
        "app_id_prefix": ["ABC123XYZ"],
        "app_name": "Demo & more",
        "certificate_ids": ["${SERIAL}"],
        "devices": ["00008101-001454860C10001E"],
        "entitlements": {
          "application-identifier": "ABC123XYZ.com.example.demo", "get-task-allow": true, "__proto__": 3
        },
        "expires_at": "2027-08-01T18:15:35.000Z",
        "platforms": ["iOS"],
        "team_id": ["ABC123XYZ"],
        "team_name": "Example",
        "xcode_managed": false
      }`),
    )
    expect(rest).toEqual({ metadata_parsable: true, expires_at: '2027-08-01T18:15:35.000Z' })
  })

  test.each([
    ['no XML', 'x'],
    ['XML that does not end', '<plist><dict><key>UUID</key>'],
    ['no dictionary', '<plist><array/></plist>'],
    ['values too deep in each other', plist(`<key>a</key>${'<array>'.repeat(50)}${'</array>'.repeat(50)}`)],
    ['too many values', plist(`<key>a</key><array>${'<true/>'.repeat(10_001)}</array>`)],
    ['too much to keep', plist(`<key>UUID</key><string>${'x'.repeat(128 * 1024)}</string>`)],
    [
      'entities of its own',
      '<!DOCTYPE p [<!ENTITY a "aa">]><plist><dict><key>UUID</key><string>&a;</string></dict></plist>',
    ],
  ])('nothing is known where the profile has %s', async (_, content) => {
    expect(await sent('mobileprovision', signed(content))).toEqual(nothing)
  })

  test('a profile that says nothing of what is asked has nulls', async () => {
    const { metadata, expires_at } = await sent(
      'mobileprovision',
      signed(plist('<key>ExpirationDate</key><date>soon</date>')),
    )
    expect(new Set(Object.values(metadata))).toEqual(new Set([null]))
    expect(expires_at).toBeNull()
  })
})

describe('nothing is known', () => {
  test.each(['cer', 'mobileprovision'])(
    'of a file that is none, whatever its name says: %s',
    async (name) => {
      for (const bytes of ['no certificate', '0\x80\x02', Buffer.alloc(600 * 1024, 0x30)])
        expect(await sent(name, bytes)).toEqual(nothing)
    },
  )

  test('of other kinds', async () => {
    expect(await sent('p12', 'x')).toEqual({ metadata: null, metadata_parsable: false, expires_at: null })
  })
})
