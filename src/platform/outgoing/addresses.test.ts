import { describe, expect, test } from 'vitest'
import { isPublic } from './addresses.ts'
import { readAllowlist } from './allowlist.ts'

describe('addresses', () => {
  test.each(['1.1.1.1', '8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'])(
    '%s is public',
    (ip) => expect(isPublic(ip)).toBe(true),
  )

  test.each([
    ['unspecified', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['loopback', '127.0.0.1'],
    ['all of loopback', '127.8.9.10'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '192.168.255.254'],
    ['shared by carriers', '100.64.0.1'],
    ['link-local', '169.254.1.1'],
    ['metadata of clouds', '169.254.169.254'],
    ['metadata of a cloud', '100.100.100.200'],
    ['metadata of a cloud', '168.63.129.16'],
    ['metadata of a cloud', 'fd00:ec2::254'],
    ['protocol assignments', '192.0.0.192'],
    ['documentation', '203.0.113.1'],
    ['benchmarking', '198.18.0.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['IPv4-compatible', '::127.0.0.1'],
    ['IPv4-mapped', '::ffff:127.0.0.1'],
    ['IPv4-mapped, even of a public one', '::ffff:8.8.8.8'],
    ['IPv4-translated', '::ffff:0:7f00:1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['local NAT64', '64:ff9b:1::a00:1'],
    ['6to4', '2002:7f00:1::'],
    ['Teredo', '2001:0:7f00:1::'],
    ['documentation', '2001:db8::1'],
    ['unique local', 'fc00::1'],
    ['unique local', 'fd12:3456::1'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['discard', '100::1'],
    ['unassigned', '4000::1'],
    ['no address', 'example.com'],
  ])('%s is not public: %s', (_, ip) => expect(isPublic(ip)).toBe(false))
})

describe('what administrators allow', () => {
  const covers = (entry: string, host: string, port: number, ip = host) =>
    readAllowlist([entry])({ host, port }, ip)

  test.each([
    ['10.1.2.3', '10.1.2.3', 80],
    [' 10.1.2.3 ', '10.1.2.3', 80],
    ['10.0.0.0/8', '10.9.9.9', 80],
    ['10.1.2.3', '::ffff:10.1.2.3', 80],
    ['10.1.2.3:3000', '10.1.2.3', 3000],
    ['10.0.0.0/8:3000', '10.1.2.3', 3000],
    ['fd00::1', 'fd00::1', 80],
    ['fd00::/8', 'fd12::1', 80],
    ['[fd00::1]', 'fd00::1', 80],
    ['[fd00::1]:3000', 'fd00::1', 3000],
    ['[fd00::/8]:3000', 'fd12::1', 3000],
  ])('%s covers %s', (entry, host, port) => expect(covers(entry, host, port)).toBe(true))

  test.each([
    ['10.1.2.3', '10.1.2.4', 80],
    ['10.1.2.3:3000', '10.1.2.3', 80],
    ['10.0.0.0/33', '10.0.0.1', 80],
    ['[fd00::1]:3000', 'fd00::1', 80],
    ['', '10.1.2.3', 80],
    ['*', '10.1.2.3', 80],
  ])('%s does not cover %s', (entry, host, port) => expect(covers(entry, host, port)).toBe(false))

  test('a name covers whatever address it has, itself alone', () => {
    expect(covers('Git.example.com', 'git.EXAMPLE.com.', 80, '10.0.0.1')).toBe(true)
    expect(covers('git.example.com:3000', 'git.example.com', 3000, '10.0.0.1')).toBe(true)
    expect(covers('git.example.com:3000', 'git.example.com', 80, '10.0.0.1')).toBe(false)
    expect(covers('example.com', 'git.example.com', 80, '10.0.0.1')).toBe(false)
    expect(covers('bücher.example', 'xn--bcher-kva.example', 80, '10.0.0.1')).toBe(true)
  })
})
