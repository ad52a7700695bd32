/** URLs that an endpoint may have, so that none makes the service send requests into an internal network. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isAllowedAddress } from '../../src/endpoints/allowed-address.ts';
import { endpointUrlFault } from '../../src/endpoints/endpoint-url.ts';

const accepted = (url: string, ranges: string[] = []) =>
  assert.equal(endpointUrlFault(url, ranges), null, url);
const refused = (url: string, fault: RegExp, ranges: string[] = []) =>
  assert.match(endpointUrlFault(url, ranges) ?? 'accepted', fault, url);

const NOT_PUBLIC = /^must lead to a public address/;

describe('The URL of an endpoint', () => {
  it('accepts absolute http and https URLs only', () => {
    for (const url of [
      'https://example.com',
      'http://example.com/hook',
      'HTTPS://EXAMPLE.com:8443/a/b?c=d&e=%20',
      'https://bücher.example/straße?q=ä',
      'http://receiver:3000/hook',
      'http://my_service.internal/',
      'https://example.com./rooted',
    ]) {
      accepted(url);
    }
    for (const url of [
      '',
      'example.com',
      '/hook',
      '//example.com/hook',
      'http:example.com',
      'http:/example.com',
      'http:///example.com',
      'http://',
      'https://?a=b',
      'ftp://example.com',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'wss://example.com',
      'http://256.1.1.1/',
      'http://1.2.3.4.5/',
      'http://example.com:65536/',
      'http://exa<mple.com/',
      'http://[::1',
    ]) {
      refused(url, /^must be an absolute http or https URL/);
    }
  });

  it('accepts letters beyond ASCII after any number of checks', () => {
    // After this many calls the engine has compiled the check, where URL.canParse of Node.js 20 fails.
    for (let call = 0; call < 100_000; call++) endpointUrlFault('https://example.com/hook', []);
    accepted('https://bücher.example/straße?q=ä');
  });

  it('refuses port 0', () => {
    refused('http://example.com:0/', /^must name a port from 1 to 65535, or none$/);
    accepted('http://example.com:1/');
  });

  it('refuses hosts that cannot exist', () => {
    for (const host of ['.', '..', 'a..b', '.a', 'a..', '127.0.0.1..', `${'a'.repeat(64)}.com`]) {
      refused(`http://${host}/`, /^must name a host/);
    }
    refused(`http://${'a.'.repeat(127)}com/`, /^must name a host/);
    // Node.js before 24 refuses every URL with such a label.
    refused('http://xn--a/', /^must (name a host|be an absolute http or https URL)/);
    accepted('http://xn--bcher-kva.example/');
    accepted(`http://${'a'.repeat(63)}.com/`);
  });

  it('accepts at most 2048 characters', () => {
    const base = 'https://example.com/';
    accepted(base + 'a'.repeat(2048 - base.length));
    refused(base + 'a'.repeat(2049 - base.length), /^must be at most 2048 characters long/);
  });

  it('refuses credentials, even empty ones', () => {
    for (const userinfo of ['user', 'user:password', ':password', ':', '', 'a@b', 'user%40']) {
      refused(`https://${userinfo}@example.com/`, /^must hold no user name or password/);
    }
    accepted('https://example.com/@user?mail=a@b');
  });

  it('refuses a fragment, even an empty one', () => {
    refused('https://example.com/#part', /^must hold no fragment/);
    refused('https://example.com/#', /^must hold no fragment/);
    accepted('https://example.com/%23');
  });

  it('refuses characters that the parser would drop or reinterpret', () => {
    for (const url of [
      ' https://example.com/',
      'https://example.com/ ',
      'https://exam\nple.com/',
      'https://example.com/\thook',
      'https://example.com/a b',
      'https://example.com\\@10.0.0.1/',
      'https:\\\\example.com/',
      'https://example.com/\u0000',
      '\ufeffhttps://example.com/',
    ]) {
      refused(url, /^must hold no spaces, control characters or backslashes/);
    }
  });
});

describe('An address in the URL', () => {
  const LOOPBACK_SPELLINGS = [
    '127.0.0.1',
    '127.0.0.1.',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7F000001.',
    '0x7f.1',
    '0177.0.0.1',
    '0177.0x0.0.01',
    '017700000001',
    '00000000177.0.0.1',
    '１２７.0.0.1',
    '①②⑦.0.0.1',
    '127。0。0。1',
    '127．0．0．1',
    '%31%32%37.0.0.1',
    '127.255.255.254',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[0000:0000:0000:0000:0000:0000:0000:0001]',
    '[::ffff:127.0.0.1]',
    '[::FFFF:7F00:1]',
    '[0:0:0:0:0:ffff:127.0.0.1]',
    'localhost',
    'LocalHost',
    'localhost.',
    'ｌｏｃａｌｈｏｓｔ',
    'ⓛocalhost',
    'lo\u00adcalhost',
    'loca%6Chost',
    'api.localhost',
    'a.b.localhost.',
  ];

  it('refuses loopback addresses in any spelling', () => {
    for (const host of LOOPBACK_SPELLINGS) {
      refused(`http://${host}/hook`, NOT_PUBLIC);
      refused(`https://${host}:8443/hook`, NOT_PUBLIC);
    }
  });

  it('accepts addresses in a range that the operator allows', () => {
    for (const host of LOOPBACK_SPELLINGS) accepted(`http://${host}/hook`, ['127.0.0.0/8', '::1/128']);
    accepted('http://10.1.2.3/', ['10.0.0.0/8']);
    refused('http://192.168.1.1/', NOT_PUBLIC, ['10.0.0.0/8', '::1/128']);
    refused('http://[::1]/', NOT_PUBLIC, ['127.0.0.0/8']);
    accepted('http://localhost/', ['127.0.0.0/8']);
  });

  it('refuses addresses of every non-public range', () => {
    for (const host of [
      '0.0.0.0',
      '0',
      '10.0.0.1',
      '100.64.0.1',
      '100.127.255.255',
      '169.254.169.254',
      '0xA9FEA9FE',
      '2852039166',
      '172.16.0.1',
      '172.31.255.255',
      '192.0.0.1',
      '192.0.2.1',
      '192.88.99.1',
      '192.168.0.1',
      '198.18.0.1',
      '198.19.255.255',
      '198.51.100.1',
      '203.0.113.1',
      '224.0.0.1',
      '239.255.255.255',
      '240.0.0.1',
      '255.255.255.255',
      '[::]',
      '[fe80::1]',
      '[febf::1]',
      '[fec0::1]',
      '[fc00::1]',
      '[fd12:3456::1]',
      '[ff02::1]',
      '[100::1]',
      '[2001::1]',
      '[2001:2::1]',
      '[2001:10::1]',
      '[2001:20::1]',
      '[2001:db8::1]',
      '[3fff::1]',
      '[5f00::1]',
      '[4000::1]',
      '[::ffff:10.0.0.1]',
      '[::ffff:a9fe:a9fe]',
    ]) {
      refused(`http://${host}/`, NOT_PUBLIC);
    }
  });

  it('refuses addresses of tunnels to IPv4, wherever they end', () => {
    for (const host of [
      '[64:ff9b::10.0.0.1]',
      '[64:ff9b::8.8.8.8]',
      '[64:ff9b:1::a00:1]',
      '[2002:7f00:1::]',
      '[2002:0a00:0001::1]',
      '[2002:808:808::]',
      '[2001:0:53aa:64c::1]',
      '[::127.0.0.1]',
      '[::8.8.8.8]',
      '[::ffff:0:127.0.0.1]',
    ]) {
      refused(`http://${host}/`, NOT_PUBLIC);
    }
  });

  it('refuses addresses with a zone', () => {
    for (const host of ['[fe80::1%25eth0]', '[fe80::1%eth0]', '[2606:4700::1%251]']) {
      refused(`http://${host}/`, /^must be an absolute/);
    }
  });

  it('accepts public addresses', () => {
    for (const host of [
      '8.8.8.8',
      '134744072',
      '0x08080808',
      '1.1',
      '100.63.255.255',
      '100.128.0.1',
      '172.15.255.255',
      '172.32.0.1',
      '192.167.255.255',
      '169.253.0.1',
      '223.255.255.254',
      '[2606:4700:4700::1111]',
      '[2a00:1450:4001:81b::200e]',
      '[::ffff:8.8.8.8]',
    ]) {
      accepted(`http://${host}/`);
    }
  });

  it('treats numbers with letters as names', () => {
    for (const host of ['127.0.0.1.example.com', '10.example', 'localhost.example.com', 'notlocalhost']) {
      accepted(`http://${host}/`);
    }
  });
});

describe('Any IPv4 address', () => {
  const ranges = (spans: Array<[string, string]>) =>
    fc.oneof(...spans.map(([first, last]) => fc.integer({ min: numberOf(first), max: numberOf(last) })));

  const inside = ranges([
    ['0.0.0.0', '0.255.255.255'],
    ['10.0.0.0', '10.255.255.255'],
    ['100.64.0.0', '100.127.255.255'],
    ['127.0.0.0', '127.255.255.255'],
    ['169.254.0.0', '169.254.255.255'],
    ['172.16.0.0', '172.31.255.255'],
    ['192.0.0.0', '192.0.0.255'],
    ['192.0.2.0', '192.0.2.255'],
    ['192.168.0.0', '192.168.255.255'],
    ['198.18.0.0', '198.19.255.255'],
    ['198.51.100.0', '198.51.100.255'],
    ['203.0.113.0', '203.0.113.255'],
    ['224.0.0.0', '255.255.255.255'],
  ]);
  const outside = ranges([
    ['1.0.0.0', '9.255.255.255'],
    ['11.0.0.0', '100.63.255.255'],
    ['100.128.0.0', '126.255.255.255'],
    ['128.0.0.0', '169.253.255.255'],
    ['169.255.0.0', '172.15.255.255'],
    ['172.32.0.0', '191.255.255.255'],
    ['193.0.0.0', '198.17.255.255'],
    ['203.0.114.0', '223.255.255.255'],
  ]);

  it('refuses every spelling of any non-public IPv4 address', () => {
    fc.assert(
      fc.property(inside, (address) => {
        for (const host of spellings(address)) refused(`http://${host}/`, NOT_PUBLIC);
      }),
      { numRuns: 1_000 },
    );
  });

  it('accepts every spelling of any public IPv4 address', () => {
    fc.assert(
      fc.property(outside, (address) => {
        for (const host of spellings(address)) accepted(`http://${host}/`);
      }),
      { numRuns: 1_000 },
    );
  });

  it('refuses non-public IPv4 addresses inside IPv6, mapped, translated or tunnelled', () => {
    fc.assert(
      fc.property(inside, (address) => {
        const high = (address >>> 16).toString(16);
        const low = (address & 0xffff).toString(16);
        for (const host of [
          `::ffff:${high}:${low}`,
          `::ffff:${dotted(address)}`,
          `::${high}:${low}`,
          `64:ff9b::${high}:${low}`,
          `64:ff9b::${dotted(address)}`,
          `2002:${high}:${low}::`,
        ]) {
          refused(`http://[${host}]/`, NOT_PUBLIC);
          assert.equal(isAllowedAddress(host, []), false, host);
        }
      }),
    );
  });

  function spellings(address: number): string[] {
    const [a, b, c, d] = octets(address) as [number, number, number, number];
    const octal = (value: number) => `0${value.toString(8)}`;
    const hex = (value: number) => `0x${value.toString(16)}`;
    return [
      dotted(address),
      `${dotted(address)}.`,
      String(address),
      octal(address),
      hex(address),
      hex(address).toUpperCase().replace('0X', '0x'),
      octets(address).map(octal).join('.'),
      octets(address).map(hex).join('.'),
      `${octal(a)}.${b}.${hex(c)}.${d}`,
      `${a}.${hex(address & 0xff_ffff)}`,
      `${a}.${b}.${address & 0xffff}`,
      dotted(address).replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0)),
      dotted(address).replaceAll('.', '。'),
    ];
  }

  function numberOf(text: string): number {
    return text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  }

  function octets(address: number): number[] {
    return [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff);
  }

  function dotted(address: number): string {
    return octets(address).join('.');
  }
});

describe('The addresses of a name', () => {
  it('checks resolved addresses by the same rule as addresses in URLs', () => {
    assert.equal(isAllowedAddress('8.8.8.8', []), true);
    assert.equal(isAllowedAddress('2606:4700:4700::1111', []), true);
    assert.equal(isAllowedAddress('::ffff:127.0.0.1', []), false);
    assert.equal(isAllowedAddress('::ffff:127.0.0.1', ['127.0.0.0/8']), true);
    assert.equal(isAllowedAddress('fe80::1%eth0', []), false);
    assert.equal(isAllowedAddress('fe80::1%eth0', ['fe80::/10']), true);
    assert.equal(isAllowedAddress('10.0.0.1', ['::/0']), false);
  });

  it('refuses text that is not an address', () => {
    for (const text of ['', 'example.com', '1.2.3.4.5', '::g', '1.2.3.4/8']) {
      assert.equal(isAllowedAddress(text, ['0.0.0.0/0', '::/0']), false, text);
    }
  });
});
