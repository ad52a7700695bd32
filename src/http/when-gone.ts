interface Closing {
  /** `close` has been emitted, or never will be. */
  readonly destroyed: boolean;
  once(event: 'close', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
}

export interface ClosingResponse extends Closing {
  readonly req: { readonly socket: Closing };
}

/**
 * Calls the listener when the client has read the response, or has gone. Node 20 emits no `close` for a response that waits
 * behind an earlier one of a connection that ends.
 */
export function whenGone(response: ClosingResponse, listener: () => void): void {
  const { socket } = response.req;
  function onClose(): void {
    response.off('close', onClose);
    socket.off('close', onClose);
    listener();
  }
  if (response.destroyed || socket.destroyed) listener();
  else for (const each of [response, socket]) each.once('close', onClose);
}
