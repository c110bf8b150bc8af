import { execFileSync, spawnSync } from 'node:child_process'
import { generateKeyPairSync, hash, sign } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readObject } from '#code/git/objects.ts'
import { requestedCommit } from '#code/repositories/requested.ts'
import { addSignedCommit, commits, importInto } from '#test/repositories.ts'
import { field, newPoint, newSshKey, sshKey } from '#test/ssh-keys.ts'
import { type Actor, unique, w } from '#test/world.ts'

/** Whether a program is missing here. */
function isMissing(program: string): boolean {
  const missing = spawnSync(program, ['--version']).error !== undefined
  if (missing) console.log(`skipped: ${program} is not installed`)
  return missing
}
const [noKeygen, noGpg, noOpenssl] = ['ssh-keygen', 'gpg', 'openssl'].map(isMissing)

const folder = mkdtempSync(join(tmpdir(), 'forgelet-signatures-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A project whose last commit somebody with this address has made. */
async function withCommit(email: string, visibility: 'private' | 'public' = 'private') {
  const project = await w.project({ visibility })
  const repository = await importInto(project, commits({ author: `Ada <${email}>`, files: { a: '1' } }))
  const id = await requestedCommit(repository, 'main')
  const content = (await readObject(repository, id ?? ''))?.content ?? Buffer.alloc(0)
  /** Writes that commit with a signature. @returns where its signature is told */
  const add = async (signature: string, of = content) => {
    const header = `gpgsig ${signature.trimEnd().replaceAll('\n', '\n ')}\n`
    const at = of.indexOf('\n\n') + 1
    const input = Buffer.concat([of.subarray(0, at), Buffer.from(header), of.subarray(at)])
    const { git } = repository
    const sha = await git.text(repository, ['hash-object', '-t', 'commit', '-w', '--stdin'], { input })
    return `/projects/${project.id}/repository/commits/${sha.trim()}/signature`
  }
  return { project, repository, content, add }
}

const emailOf = async ({ id }: Actor) =>
  (await w.db.selectFrom('users').select('email').where('id', '=', id).executeTakeFirstOrThrow()).email

const confirm = ({ id }: Actor, confirmed_at: string | null = '2026-01-01') =>
  w.db.updateTable('users').set({ confirmed_at }).where('id', '=', id).execute()

const armor = (bytes: Buffer) =>
  `-----BEGIN SSH SIGNATURE-----\n${bytes.toString('base64').replace(/.{70}/g, '$&\n')}\n-----END SSH SIGNATURE-----`

describe('a signature by an SSH key', () => {
  /** A new key of ssh-keygen. */
  function keyOf(type: string, bits?: string) {
    const file = join(folder, unique('key'))
    const size = bits === undefined ? [] : ['-b', bits]
    execFileSync('ssh-keygen', ['-q', '-t', type, ...size, '-N', '', '-C', '', '-f', file])
    const signing = (data: Buffer, namespace = 'git') =>
      execFileSync('ssh-keygen', ['-q', '-Y', 'sign', '-n', namespace, '-f', file, '-'], {
        input: data,
        stdio: ['pipe', 'pipe', 'ignore'],
      }).toString()
    return { publicKey: readFileSync(`${file}.pub`, 'utf8').trim(), signing }
  }

  test
    .skipIf(noKeygen)
    .each([['ed25519'], ['rsa', '2048'], ['ecdsa', '256'], ['ecdsa', '384'], ['ecdsa', '521']])(
    'is verified (%s %s)',
    async (type: string, bits?: string) => {
      const user = await w.user()
      await confirm(user)
      const email = await emailOf(user)
      const { project, add, content } = await withCommit(email.toUpperCase())
      const { publicKey, signing } = keyOf(type, bits)
      const path = await add(signing(content))
      const told = async () => (await project.reporter.get(path)).body
      expect(await told()).toMatchObject({
        signature_type: 'SSH',
        verification_status: 'unknown_key',
        commit_source: 'gitaly',
        key: null,
      })
      const key = await user.post('/user/keys', { title: 'laptop', key: publicKey })
      expect(await told()).toMatchObject({
        verification_status: 'verified',
        key: { id: key.body.id, title: 'laptop', usage_type: 'auth_and_signing' },
        gpg_key_id: null,
        x509_certificate: null,
      })
    },
  )

  test.skipIf(noKeygen)('counts for the address of its owner alone, once that is confirmed', async () => {
    const user = await w.user()
    const email = await emailOf(user)
    const { publicKey, signing } = keyOf('ed25519')
    await user.post('/user/keys', { title: 'laptop', key: publicKey, usage_type: 'signing' })
    const own = await withCommit(email)
    const path = await own.add(signing(own.content))
    const status = async (of = own, at = path) => (await of.project.reporter.get(at)).body.verification_status
    await confirm(user, null)
    expect(await status()).toBe('other_user')
    await confirm(user)
    expect(await status()).toBe('verified')
    const other = await withCommit('eve@example.com')
    expect(await status(other, await other.add(signing(other.content)))).toBe('other_user')
  })

  test.skipIf(noKeygen)('is not verified when it is of something else', async () => {
    const user = await w.user()
    await confirm(user)
    const { publicKey, signing } = keyOf('ed25519')
    await user.post('/user/keys', { title: 'laptop', key: publicKey })
    const { project, content, add } = await withCommit(await emailOf(user))
    const status = async (signature: string, of?: Buffer) =>
      (await project.reporter.get(await add(signature, of))).body.verification_status
    const changed = Buffer.from(content.toString().replace('Change files', 'Steal files'))
    expect(await status(signing(content), changed)).toBe('unverified')
    expect(await status(signing(content, 'file'))).toBe('unverified')
    expect(await status(signing(content).replace(/\n.{10}/, '\nAAAAAAAAAA'))).toBe('unverified')
    expect(await status(armor(Buffer.from('SSHSIG\0\0\0\x01')))).toBe('unverified')
    expect(await status(armor(Buffer.from('x')))).toBe('unverified')
  })

  test.skipIf(noKeygen)('is of nobody when the key only signs in, or is a deploy key', async () => {
    const user = await w.user()
    await confirm(user)
    const { project, content, add } = await withCommit(await emailOf(user))
    const [signsIn, deploys] = [keyOf('ed25519'), keyOf('ed25519')]
    await user.post('/user/keys', { title: 'door', key: signsIn.publicKey, usage_type: 'auth' })
    await project.maintainer.post(`/projects/${project.id}/deploy_keys`, {
      title: 'deploy',
      key: deploys.publicKey,
    })
    for (const { signing } of [signsIn, deploys]) {
      const { body } = await project.reporter.get(await add(signing(content)))
      expect([body.verification_status, body.key]).toEqual(['unknown_key', null])
    }
  })

  test.skipIf(noKeygen)('tells anonymous callers no key of a user', async () => {
    const user = await w.user()
    await confirm(user)
    const { project, content, add } = await withCommit(await emailOf(user), 'public')
    const { publicKey, signing } = keyOf('ed25519')
    await user.post('/user/keys', { title: 'laptop', key: publicKey })
    const { body } = await project.anonymous.get(await add(signing(content)))
    expect([body.verification_status, body.key]).toEqual(['verified', null])
  })

  const application = Buffer.from('ssh:')

  /** A signature as a security key makes it. */
  function bySecurityKey(type: string, key: readonly (string | Buffer)[], signing: (data: Buffer) => Buffer) {
    return (content: Buffer, flags = 1) => {
      const fields = ['git', '', 'sha512', hash('sha512', content, 'buffer')]
      const message = Buffer.concat([Buffer.from('SSHSIG'), ...fields.map(field)])
      const tail = Buffer.from([flags, 0, 0, 0, 7])
      const digest = (bytes: Buffer) => hash('sha256', bytes, 'buffer')
      const blob = signing(Buffer.concat([digest(application), tail, digest(message)]))
      const signature = Buffer.concat([field(type), field(blob), tail])
      const publicKey = Buffer.concat([type, ...key, application].map(field))
      return armor(
        Buffer.concat([
          Buffer.from('SSHSIG\0\0\0\x01'),
          ...[publicKey, 'git', '', 'sha512', signature].map(field),
        ]),
      )
    }
  }

  test('of a security key is verified, if somebody touched it', async () => {
    const user = await w.user()
    await confirm(user)
    const { project, content, add } = await withCommit(await emailOf(user))
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const x = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
    const type = 'sk-ssh-ed25519@openssh.com'
    await user.post('/user/keys', { title: 'usb', key: sshKey(type, [x, application]) })
    const signing = bySecurityKey(type, [x], (data) => sign(null, data, privateKey))
    const status = async (flags: number) =>
      (await project.reporter.get(await add(signing(content, flags)))).body.verification_status
    expect([await status(1), await status(0)]).toEqual(['verified', 'unverified'])
  })

  test('of a key that is none is not verified', async () => {
    const { project, content, add } = await withCommit('ada@example.com')
    const [, point] = newPoint('256')
    const other = newSshKey().split(' ')[1] ?? ''
    const bytes = (key: Buffer) =>
      Buffer.concat([
        Buffer.from('SSHSIG\0\0\0\x01'),
        ...[key, 'git', '', 'md5', Buffer.concat([field('ssh-ed25519'), field(content)])].map(field),
      ])
    for (const key of [Buffer.from(other, 'base64'), point, Buffer.alloc(0)]) {
      const { status, body } = await project.reporter.get(await add(armor(bytes(key))))
      expect([status, body.verification_status]).toEqual([200, 'unverified'])
    }
  })
})

describe('other signatures', () => {
  test.skipIf(noGpg)('by PGP tell the id of the key', { timeout: 180_000 }, async () => {
    const home = mkdtempSync(join(tmpdir(), 'fg-gpg-'))
    const gpg = (args: readonly string[], input: Buffer | string = '') =>
      execFileSync('gpg', ['--homedir', home, '--batch', '--quiet', '--pinentry-mode', 'loopback', ...args], {
        input,
        stdio: ['pipe', 'pipe', 'ignore'],
      }).toString()
    try {
      gpg(['--passphrase', '', '--quick-gen-key', 'Ada <ada@example.com>', 'ed25519', 'sign', 'never'])
      const [, id = ''] =
        /^sec:[^:]*:[^:]*:[^:]*:([0-9A-F]{16}):/m.exec(gpg(['--list-secret-keys', '--with-colons'])) ?? []
      const { project, content, add } = await withCommit('ada@example.com')
      const { body } = await project.reporter.get(await add(gpg(['--armor', '--detach-sign'], content)))
      expect(body).toMatchObject({
        signature_type: 'PGP',
        verification_status: 'unknown_key',
        gpg_key_id: null,
        gpg_key_primary_keyid: id,
        key: null,
      })
    } finally {
      spawnSync('gpgconf', ['--homedir', home, '--kill', 'all'])
      rmSync(home, { recursive: true, force: true })
    }
  })

  test.skipIf(noOpenssl)('by X.509 tell of the certificate', async () => {
    const [key, cert] = [join(folder, 'x509.key'), join(folder, 'x509.crt')]
    const subject = '/C=DE/O=Example/CN=Ada Lovelace'
    const extensions = [
      'subjectAltName=email:ada@example.com',
      'crlDistributionPoints=URI:http://crl.example.com/1',
    ]
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:P-256',
        '-nodes',
        '-days',
        '2',
        '-set_serial',
        '123456789012345678901234567890',
        '-subj',
        subject,
        '-keyout',
        key,
        '-out',
        cert,
        ...extensions.flatMap((one) => ['-addext', one]),
      ],
      { stdio: 'ignore' },
    )
    const { project, repository, content, add } = await withCommit('ada@example.com')
    const args = ['cms', '-sign', '-binary', '-signer', cert, '-inkey', key, '-outform', 'DER']
    const bytes = execFileSync('openssl', args, { input: content, stdio: ['pipe', 'pipe', 'ignore'] })
    const text = bytes.toString('base64').replace(/.{64}/g, '$&\n')
    const signature = `-----BEGIN SIGNED MESSAGE-----\n${text}\n-----END SIGNED MESSAGE-----`
    const { body } = await project.reporter.get(await add(signature))
    const keyId: unknown = expect.stringMatching(/^(?:[0-9A-F]{2}:){19}[0-9A-F]{2}$/)
    const certificate = {
      subject: 'CN=Ada Lovelace,O=Example,C=DE',
      subject_key_identifier: keyId,
      email: 'ada@example.com',
      serial_number: '123456789012345678901234567890',
      certificate_status: 'good',
      x509_issuer: {
        subject: 'CN=Ada Lovelace,O=Example,C=DE',
        subject_key_identifier: keyId,
        crl_url: 'http://crl.example.com/1',
      },
    }
    expect(body).toMatchObject({
      signature_type: 'X509',
      verification_status: 'unverified',
      x509_certificate: certificate,
    })
    expect(body.x509_certificate).toEqual(certificate)
    const tags = `/projects/${project.id}/repository/tags`
    await project.developer.post(tags, { tag_name: 'v1', ref: 'main', message: `First\n\n${signature}` })
    expect((await project.reporter.get(`${tags}/v1/signature`)).body).toEqual({
      signature_type: 'X509',
      verification_status: 'unverified',
      x509_certificate: certificate,
    })
    expect(repository.row.tag_count).toBe(0)
  })

  test.skipIf(noOpenssl)('by X.509 may have no subject and a number below zero', async () => {
    const [key, cert] = [join(folder, 'odd.key'), join(folder, 'odd.crt')]
    const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
    const odd = ['-set_serial', '-5', '-subj', '/', '-keyout', key, '-out', cert]
    execFileSync('openssl', [...request, ...odd], { stdio: 'ignore' })
    const { project, content, add } = await withCommit('ada@example.com')
    const args = ['cms', '-sign', '-keyid', '-signer', cert, '-inkey', key, '-outform', 'DER']
    const bytes = execFileSync('openssl', args, { input: content, stdio: ['pipe', 'pipe', 'ignore'] })
    const text = bytes.toString('base64').replace(/.{64}/g, '$&\n')
    const path = await add(`-----BEGIN SIGNED MESSAGE-----\n${text}\n-----END SIGNED MESSAGE-----`)
    const { status, body } = await project.reporter.get(path)
    expect([status, body.x509_certificate]).toEqual([
      200,
      expect.objectContaining({ subject: '', serial_number: '-5' }),
    ])
  })

  test('that nobody can read are unverified, and those that are not there 404', async () => {
    const { project, repository, add } = await withCommit('ada@example.com')
    const list = `/projects/${project.id}/repository/commits`
    await addSignedCommit(repository, 'signed')
    const { body } = await project.reporter.get(`${list}/signed/signature`)
    expect([body.signature_type, body.verification_status]).toEqual(['PGP', 'unverified'])
    for (const kind of ['PGP SIGNATURE', 'SIGNED MESSAGE', 'SSH SIGNATURE']) {
      for (const text of ['', 'AAAA', 'MIIB', 'iQIz', 'wsBz', '\u0000', 'A'.repeat(200_000)]) {
        const path = await add(`-----BEGIN ${kind}-----\n\n${text}\n-----END ${kind}-----`)
        const answer = await project.reporter.get(path)
        expect([answer.status, answer.body.verification_status]).toEqual([200, 'unverified'])
      }
    }
    expect((await project.reporter.get(`${list}/main/signature`)).body).toEqual({
      message: '404 Signature Not Found',
    })
  })
})

describe('tags', () => {
  let user: Actor
  beforeAll(async () => {
    user = await w.user()
    await confirm(user)
  })

  test.skipIf(noKeygen)('that an SSH key has signed are verified', async () => {
    const { project, repository } = await withCommit(await emailOf(user))
    const file = join(folder, 'tag-key')
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', file])
    await user.post('/user/keys', { title: 'tags', key: readFileSync(`${file}.pub`, 'utf8') })
    const id = await requestedCommit(repository, 'main')
    const email = await emailOf(user)
    const text = `object ${id}\ntype commit\ntag v1\ntagger Ä <${email}> 1767225600 +0000\n\nÜber alles\n`
    const args = ['-q', '-Y', 'sign', '-n', 'git', '-f', file, '-']
    const signature = execFileSync('ssh-keygen', args, { input: text, stdio: ['pipe', 'pipe', 'ignore'] })
    const { git } = repository
    const input = text + signature.toString()
    const tag = await git.text(repository, ['hash-object', '-t', 'tag', '-w', '--stdin'], { input })
    await git.capture(repository, ['update-ref', 'refs/tags/v1', tag.trim()])
    const path = `/projects/${project.id}/repository/tags/v1/signature`
    expect((await project.reporter.get(path)).body).toEqual({
      signature_type: 'SSH',
      verification_status: 'verified',
      x509_certificate: null,
    })
  })
})
