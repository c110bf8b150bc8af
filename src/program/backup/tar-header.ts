/** The header of a file in a tar archive, readable by its owner alone. */
export function tarHeader(name: string, size: number): Buffer {
  const header = Buffer.alloc(512)
  if (Buffer.byteLength(name) > 100) throw new Error(`The name ${name} is too long for an archive`)
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')
  header.write(name, 0)
  header.write(`${octal(0o600, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100)
  header.write(`${octal(size, 11)}\0${octal(0, 11)}\0        0`, 124)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)}\0 `, 148)
  return header
}
