/** The same serial numbers for loggers and for the rows of their assets. */
export const toSerial = (device: number): string =>
  `282C02${device.toString(16).padStart(6, '0').toUpperCase()}`;

/** The SQL expression for device `g`. */
export const SERIAL_SQL = `'282C02' || upper(lpad(to_hex(g), 6, '0'))`;
