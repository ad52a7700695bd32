/** Bytes that are no message of the protocol, or one beyond its bounds. The sender is answered 4.00, if at all. */
export class MalformedMessage extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MalformedMessage';
  }
}
