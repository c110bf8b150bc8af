import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { BlockList } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig } from '#platform/config/config.ts'
import { variables } from '#platform/config/variables.ts'
import { folder } from '#test/program/forgelet.ts'
import { s3Installed, s3Program } from '#test/s3.ts'
import { tree } from '#test/tree.ts'
import { composeFolder, imageEnvironment, readCompose } from './compose.ts'

const asRoot = process.geteuid?.() === 0
const text = (path: string) => readFileSync(join(tree, path), 'utf8')
const runs = (file: string, ...args: string[]) => spawnSync(file, args).status === 0
/** Says so once, when the file is read, and leaves the tests out. */
const without = (missing: string | false) => {
  if (missing !== false) console.warn(`SKIPPED: ${missing}`)
  return missing !== false
}
const { version } = JSON.parse(text('package.json')) as { version: string }

/** Variables that Forgelet reads, with those of their files. */
const known = new Set(
  Object.values(variables).flatMap(({ name, ...more }) =>
    ['secret' in more ? [name, `${name}_FILE`] : [name]].flat(),
  ),
)

describe('the container', () => {
  test('sets variables that exist, and what the service of compose.yaml adds is a configuration', () => {
    const environment = {
      ...imageEnvironment(),
      ...readCompose({ FORGELET_NAME: 'forge.example.com' }).services['forgelet']?.environment,
    }
    const named = Object.keys(environment).filter((name) => name.startsWith('FORGELET_'))
    expect(named.filter((name) => !known.has(name))).toEqual([])
    const secrets = folder()
    const here = Object.entries(environment).map(([name, value]) => {
      if (!name.endsWith('_FILE')) return [name, value]
      const path = join(secrets, name)
      writeFileSync(
        path,
        name.includes('URL') ? 'postgres://x@postgres/x' : 'a-secret-that-is-long-enough-for-a-key',
      )
      return [name, path]
    })
    expect(readConfig(Object.fromEntries(here) as Record<string, string>)).toMatchObject({
      externalUrl: 'https://forge.example.com',
      host: '0.0.0.0',
      port: 8080,
      data: '/var/lib/forgelet',
    })
  })

  test('is the present version everywhere', () => {
    expect(readCompose().services['forgelet']?.image).toBe(`localhost/forgelet:${version}`)
    expect(text('packaging/helm/forgelet/Chart.yaml')).toContain(`\nappVersion: ${version}\n`)
    expect(text('docs/guides/container.md')).toContain(`localhost/forgelet:${version}`)
    for (const page of ['docs/testing.md', 'docs/guides/systemd.md'])
      expect(text(page)).toContain(`./forgelet-${version}.tgz`)
  })

  test('runs without rights, with a health check, a volume and a program that passes signals on', () => {
    const file = text('packaging/container/Containerfile')
    for (const line of ['FROM scratch', 'USER 10001:10001', 'VOLUME /var/lib/forgelet', 'STOPSIGNAL SIGTERM'])
      expect(file.split('\n')).toContain(line)
    expect(file).toMatch(/^HEALTHCHECK .*CMD \["forgelet-health"\]$/m)
    expect(file).toMatch(/^ENTRYPOINT \["tini", "--", "forgelet"\]$/m)
  })
})

describe('compose.yaml', () => {
  const compose = readCompose()

  test('names only secrets, volumes and services that it declares, and every secret is one that prepare.sh makes', () => {
    const { services, secrets, volumes } = compose
    for (const [name, service] of Object.entries(services)) {
      expect([
        name,
        (service.secrets ?? []).filter(
          (secret) => !((typeof secret === 'string' ? secret : secret.source) in secrets),
        ),
      ]).toEqual([name, []])
      const named = (service.volumes ?? []).map((volume) => volume.split(':')[0] ?? '')
      expect([name, named.filter((volume) => !volume.startsWith('.') && !(volume in volumes))]).toEqual([
        name,
        [],
      ])
      expect(service.image).toMatch(/^(?:localhost|docker\.io|ghcr\.io)\/[\w./-]+:v?\d[\w.]*$/)
    }
    const prepared = mkdtempSync(join(tmpdir(), 'forgelet-compose-'))
    onTestFinished(() => rmSync(prepared, { recursive: true, force: true }))
    cpSync(composeFolder, prepared, { recursive: true, filter: (path) => !path.endsWith('/secrets') })
    const prepare = () => execFileSync(join(prepared, 'prepare.sh'), ['forge.example.com'])
    prepare()
    const read = () => Object.values(secrets).map(({ file }) => readFileSync(join(prepared, file), 'utf8'))
    const made = read()
    expect(made.filter((content) => content.length < 24)).toEqual([])
    prepare()
    expect(read()).toEqual(made)
    expect(readFileSync(join(prepared, '.env'), 'utf8')).toBe('FORGELET_NAME=forge.example.com\n')
  })

  test('lets OpenSSH serve git instead, with compose.openssh.yaml', () => {
    const { services, secrets } = readCompose({}, 'compose.openssh.yaml')
    const { forgelet, openssh } = services
    expect(openssh?.image).toBe(compose.services['forgelet']?.image)
    expect(forgelet?.volumes).toEqual(openssh?.volumes)
    // A new volume gets the owner that the folder has in the image.
    expect(openssh?.volumes).toEqual(['socket:/var/lib/forgelet-ssh'])
    expect(text('packaging/container/build.sh')).toContain(
      `install -d -m 700 -o 10001 -g 10001 "$1/var/lib/forgelet-ssh"`,
    )
    // Compose takes these away.
    for (const line of ['FORGELET_SSH_ADDRESS: !reset null', 'ports: !reset []'])
      expect(text('packaging/compose/compose.openssh.yaml')).toContain(line)
    expect(openssh?.environment).toEqual({
      FORGELET_SSH_SOCKET: forgelet?.environment?.['FORGELET_SSH_SOCKET'],
    })
    const prepare = text('packaging/compose/prepare.sh')
    for (const type of ['ed25519', 'ecdsa']) {
      const key = `ssh_host_${type}_key`
      expect(openssh?.secrets).toContainEqual({ source: key, target: `/etc/ssh/${key}` })
      expect(text('packaging/openssh/sshd_config')).toContain(`\nHostKey /etc/ssh/${key}\n`)
      expect(secrets[key]).toEqual({ file: `./secrets/${key}` })
    }
    expect(prepare).toContain('for type in ed25519 ecdsa; do')
  })

  test('believes the address of its proxy alone', () => {
    const { services, networks } = compose
    const [{ subnet, ip_range }] = networks.default.ipam.config
    const own = services['proxy']?.networks?.default.ipv4_address ?? ''
    expect(services['forgelet']?.environment?.['FORGELET_TRUSTED_PROXIES']).toBe(own)
    const [network, others] = [subnet, ip_range].map((range) => {
      const [address = '', bits] = range.split('/')
      const list = new BlockList()
      list.addSubnet(address, Number(bits))
      return list
    })
    expect([network?.check(own), others?.check(own)]).toEqual([true, false])
  })

  const missing =
    (!asRoot && 'the parts of compose.yaml are not tried: that takes root') ||
    (!s3Installed && 'the parts of compose.yaml are not tried: versitygw is not there') ||
    (!runs('unshare', '--net', '--mount', '--pid', '--fork', 'true') &&
      'the parts of compose.yaml are not tried: no namespaces here') ||
    (['redis-server', 'nginx', 'ip', 'curl'].find((name) => !runs('sh', '-c', `command -v ${name}`)) ?? false)
  test.skipIf(without(missing))(
    'its parts work together, with its commands, variables, secrets and files',
    async () => {
      const place = mkdtempSync(join(tmpdir(), 'forgelet-compose-'))
      onTestFinished(() => rmSync(place, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }))
      execFileSync('chmod', ['711', place])
      cpSync(composeFolder, place, { recursive: true, filter: (path) => !path.endsWith('/secrets') })
      execFileSync(join(place, 'prepare.sh'), ['localhost'])
      const trial = join(import.meta.dirname, 'compose-trial.ts')
      const { stdout } = await promisify(execFile)(
        'unshare',
        ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'].concat(
          [process.execPath, trial, place].concat(s3Program ?? []),
        ),
        { timeout: 280_000, killSignal: 'SIGKILL' },
      )
      const [last = ''] = stdout.trim().split('\n').slice(-1)
      expect(JSON.parse(last)).toEqual({
        web_url: 'https://localhost/root/composed',
        avatar: 'string',
        cloned: ['README.md'],
        ssh_url_to_repo: 'ssh://git@localhost:2222/root/composed.git',
        cloned_over_ssh: ['README.md'],
        readiness: expect.objectContaining({
          status: 'ok',
          database_check: [{ status: 'ok' }],
          redis_check: [{ status: 'ok' }],
        }),
        forged: { status: 'ok' },
        objects: expect.any(Number),
        ended: 0,
      })
      expect(JSON.parse(last)).not.toMatchObject({ objects: 0 })
    },
    300_000,
  )
})

describe('the unit of systemd', { timeout: 180_000 }, () => {
  const noTool =
    !runs('systemd-analyze', '--version') && 'systemd-analyze is not installed: the unit is not checked'
  const unit = 'packaging/systemd/forgelet.service'
  /** The unit with a program that exists. */
  const place = () => {
    const path = join(folder(), 'forgelet.service')
    writeFileSync(path, text(unit).replace('/opt/forgelet/bin/forgelet', '/bin/true'))
    return path
  }

  test.skipIf(without(noTool))('is understood by systemd, which gives it an exposure of 2.0 or less', () => {
    const path = place()
    const verified = spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' })
    expect([verified.status, verified.stderr]).toEqual([0, ''])
    const args = ['security', '--offline=true', '--threshold=20', '--no-pager', path]
    const secured = spawnSync('systemd-analyze', args, { encoding: 'utf8' })
    expect(secured.stdout).toMatch(/Overall exposure level for forgelet\.service: [01]\.\d/)
    expect(secured.status).toBe(0)
  })

  test.skipIf(without(noTool))('has a second one for OpenSSH, which systemd understands', () => {
    const path = join(folder(), 'forgelet-sshd.service')
    writeFileSync(
      path,
      text('packaging/systemd/forgelet-sshd.service').replaceAll('/usr/sbin/sshd', '/bin/true'),
    )
    const verified = spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' })
    expect([verified.status, verified.stderr]).toEqual([0, ''])
  })

  test('its file of variables names only those that exist', () => {
    const named = [...`${text(unit)}${text('packaging/systemd/forgelet.env')}`.matchAll(/FORGELET_\w+(?==)/g)]
    expect(named.map(([name]) => name).filter((name) => !known.has(name))).toEqual([])
  })
})

describe('the Helm chart', { timeout: 180_000 }, () => {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
  const helm = [join(cache, 'forgelet-tools/helm/helm'), 'helm'].find((file) => runs(file, 'version'))
  const chart = join(tree, 'packaging/helm/forgelet')
  const noTool = helm === undefined && 'helm is not installed: the chart is neither linted nor rendered'
  const skipped = without(noTool)
  const rendered = (...values: string[]) => {
    const args = [
      'template',
      'forge',
      chart,
      '--kube-version',
      '1.33',
      ...values.flatMap((value) => ['--set', value]),
    ]
    const { status, stdout, stderr } = spawnSync(helm ?? '', args, { encoding: 'utf8' })
    return { status, stderr, resources: parseAllDocuments(stdout).map((one) => one.toJS() as Resource) }
  }

  interface Resource {
    readonly kind: string
    readonly spec: {
      readonly template: { readonly spec: { readonly containers: [Container, Container?] } }
      readonly rules: unknown
      readonly volumeClaimTemplates?: unknown
    }
  }
  interface Container {
    readonly image: string
    readonly env: readonly { name: string; value: string }[]
    readonly envFrom?: unknown
    readonly securityContext: object
  }

  test.skipIf(skipped)('is without faults, and needs the address of the server', () => {
    const linted = spawnSync(helm ?? '', [
      'lint',
      '--strict',
      chart,
      '--set',
      'externalUrl=https://forge.example.com',
    ])
    expect([linted.status, String(linted.stdout)]).toEqual([0, expect.stringContaining('0 chart(s) failed')])
    expect(rendered()).toMatchObject({ status: 1, stderr: expect.stringContaining('externalUrl') })
    expect(rendered('externalUrl=forge')).toMatchObject({ status: 1 })
    expect(rendered('externalUrl=https://a', 'environment.FORGELET=1')).toMatchObject({ status: 1 })
  })

  const environmentOf = (resources: readonly Resource[]) => {
    const [server] = resources.filter(({ kind }) => kind === 'StatefulSet')
    const { env = [] } = server?.spec.template.spec.containers[0] ?? {}
    return new Map(env.map(({ name, value }) => [name, value]))
  }

  test.skipIf(skipped)('believes no address unless it is named, and needs one with an ingress', () => {
    const alone = rendered('externalUrl=https://a')
    expect([alone.status, environmentOf(alone.resources).has('FORGELET_TRUSTED_PROXIES')]).toEqual([0, false])
    const open = ['externalUrl=https://a', 'ingress.enabled=true']
    for (const value of ['', '0.0.0.0/0', '10.0.0.1\\,::/0', undefined]) {
      const { status, stderr } = rendered(
        ...open,
        ...(value === undefined ? [] : [`trustedProxies=${value}`]),
      )
      expect([value, status, stderr]).toEqual([value, 1, expect.stringContaining('trustedProxies')])
    }
    const named = rendered(...open, 'trustedProxies=10.42.0.7')
    expect(environmentOf(named.resources).get('FORGELET_TRUSTED_PROXIES')).toBe('10.42.0.7')
  })

  test('names no address that is believed in its defaults, nor does another file of this folder', () => {
    const values = parse(text('packaging/helm/forgelet/values.yaml')) as { trustedProxies: string }
    expect(values.trustedProxies).toBe('')
    expect(text('packaging/systemd/forgelet.env')).not.toMatch(/^FORGELET_TRUSTED_PROXIES/m)
    expect(imageEnvironment()).not.toHaveProperty('FORGELET_TRUSTED_PROXIES')
  })

  test.skipIf(skipped)('lets only those in that the network policy names', () => {
    expect(rendered('externalUrl=https://a').resources.map(({ kind }) => kind)).not.toContain('NetworkPolicy')
    const from = 'networkPolicy.from[0].namespaceSelector.matchLabels.name=ingress'
    const [policy] = rendered('externalUrl=https://a', from).resources.filter(
      ({ kind }) => kind === 'NetworkPolicy',
    )
    expect(policy?.spec).toMatchObject({
      policyTypes: ['Ingress'],
      ingress: [
        {
          from: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }],
          ports: [{ protocol: 'TCP', port: 'http' }],
        },
      ],
    })
  })

  test.skipIf(skipped)('offers git over SSH by a service of its own, where it is wanted', () => {
    expect(environmentOf(rendered('externalUrl=https://a').resources).has('FORGELET_SSH_ADDRESS')).toBe(false)
    const from = 'networkPolicy.from[0].podSelector.matchLabels.name=ingress'
    const { resources } = rendered('externalUrl=https://forge.example.com:8443', 'ssh.enabled=true', from)
    const environment = environmentOf(resources)
    expect(environment.get('FORGELET_SSH_ADDRESS')).toBe('0.0.0.0:2222')
    expect(environment.get('FORGELET_SSH_URL')).toBe('ssh://git@forge.example.com:22')
    expect(resources.filter(({ kind }) => kind === 'Service').map(({ spec }) => spec)).toMatchObject([
      { type: 'ClusterIP', ports: [{ name: 'http' }] },
      { type: 'LoadBalancer', ports: [{ name: 'ssh', port: 22, targetPort: 'ssh' }] },
    ])
    expect(resources.find(({ kind }) => kind === 'NetworkPolicy')?.spec).toMatchObject({
      ingress: [{ ports: [{ port: 'http' }] }, { ports: [{ port: 'ssh' }] }],
    })
    const elsewhere = rendered(
      'externalUrl=https://a',
      'ssh.enabled=true',
      'ssh.url=ssh://git@git.example.com',
    )
    expect(environmentOf(elsewhere.resources).get('FORGELET_SSH_URL')).toBe('ssh://git@git.example.com')
  })

  test.skipIf(skipped)('lets OpenSSH serve git in a second container, with the host keys of a secret', () => {
    const { resources } = rendered(
      'externalUrl=https://a',
      'ssh.enabled=true',
      'ssh.openssh.hostKeys=forge-ssh-host-keys',
    )
    const environment = environmentOf(resources)
    expect(environment.has('FORGELET_SSH_ADDRESS')).toBe(false)
    const pod = resources.find(({ kind }) => kind === 'StatefulSet')?.spec.template.spec
    const [server, openssh] = pod?.containers ?? []
    expect(server).toMatchObject({
      ports: [{ name: 'http' }],
      volumeMounts: expect.arrayContaining([{ name: 'socket', mountPath: '/var/lib/forgelet-ssh' }]),
    })
    expect(openssh).toMatchObject({
      image: server?.image,
      command: ['tini', '--', 'forgelet-sshd'],
      env: [{ name: 'FORGELET_SSH_SOCKET', value: environment.get('FORGELET_SSH_SOCKET') }],
      ports: [{ name: 'ssh', containerPort: 2222 }],
      securityContext: server?.securityContext,
      volumeMounts: [
        { name: 'socket', mountPath: '/var/lib/forgelet-ssh' },
        { name: 'ssh-host-keys', mountPath: '/etc/ssh', readOnly: true },
      ],
    })
    expect(pod).toMatchObject({
      volumes: expect.arrayContaining([
        { name: 'ssh-host-keys', secret: { secretName: 'forge-ssh-host-keys', defaultMode: 0o440 } },
      ]),
    })
  })

  test.skipIf(skipped)('makes a server without rights, a service and an ingress', () => {
    const { resources } = rendered(
      'externalUrl=https://forge.example.com',
      'existingSecret=forge',
      'ingress.enabled=true',
      'trustedProxies=10.42.0.7',
      'environment.FORGELET_REDIS_URL=redis://redis:6379',
    )
    expect(resources.map(({ kind }) => kind).toSorted()).toEqual(['Ingress', 'Service', 'StatefulSet'])
    const [server] = resources.filter(({ kind }) => kind === 'StatefulSet')
    const [container] = server?.spec.template.spec.containers ?? []
    expect(container).toMatchObject({
      image: `localhost/forgelet:${version}`,
      envFrom: [{ secretRef: { name: 'forge' } }],
      securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
    })
    expect(container?.env.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([])
    expect(resources.find(({ kind }) => kind === 'Ingress')?.spec.rules).toMatchObject([
      { host: 'forge.example.com' },
    ])
    const [kept] = rendered('externalUrl=https://a', 'persistence.existingClaim=mine').resources.filter(
      ({ kind }) => kind === 'StatefulSet',
    )
    expect(kept?.spec.volumeClaimTemplates).toBeUndefined()
  })
})
