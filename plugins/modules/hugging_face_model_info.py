#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: hugging_face_model_info
version_added: 0.1.0
short_description: Check the access of a token to a model of Hugging Face
description:
  - Requests the headers of the file C(config.json) of a model, without downloading it, and returns whether the token has access to
    the model. Gated models require that the account of the token has accepted the license.
  - The module sends one request, from the machine on which it runs. It does not follow redirects, so that only O(endpoint) gets the
    token.
  - M(ansible.builtin.uri) can send the same request, but its option O(ansible.builtin.uri#module:headers) is not secret, so the
    token would be visible with C(-vvv).
options:
  model:
    description: Owner and name of the model, such as V(meta-llama/Llama-2-7b-hf).
    type: str
    required: true
  endpoint:
    description:
      - URL of the Hub, or of a mirror with the same API. With O(token), the URL must use https, except for the machine itself
        (C(127.0.0.1) and C(localhost)).
    type: str
    default: https://huggingface.co
  token:
    description: Token of an account, 8 to 512 visible ASCII characters. Public models need no token.
    type: str
  timeout:
    description: Seconds to wait for the reply, V(1) to V(300).
    type: int
    default: 30
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes.info
notes:
  - This module has not yet run against the Hub.
seealso:
  - module: mlfleet.hyperpod.training_job
"""

EXAMPLES = r"""
- name: Check that the nodes will be able to download the model
  mlfleet.hyperpod.hugging_face_model_info:
    model: meta-llama/Llama-2-7b-hf
    token: "{{ lookup('amazon.aws.secretsmanager_secret', 'hugging-face') }}"
  register: access
  failed_when: access.hugging_face_model.access != 'granted'
"""

RETURN = r"""
hugging_face_model:
  description: The model, and the access to it.
  returned: success
  type: dict
  contains:
    model:
      description: The model, as in O(model).
      type: str
      sample: meta-llama/Llama-2-7b-hf
    endpoint:
      description: The URL, as in O(endpoint).
      type: str
      sample: https://huggingface.co
    access:
      description:
        - V(granted) if the Hub serves the files of the model.
        - V(unauthorized) if the Hub requires a valid token (HTTP status 401). The Hub also returns this for a model that does not
          exist or is private.
        - V(forbidden) if the account of the token has no access (403).
        - V(missing) if the model or its C(config.json) does not exist (404).
        - V(unknown) after every other reply, or without a reply.
      type: str
      sample: granted
    text:
      description: The access as one or two sentences, with the next step.
      type: str
      sample: https://huggingface.co serves the files of meta-llama/Llama-2-7b-hf.
"""

import typing as t

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.run import read_node
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training import hub


def read(module: t.Any) -> dict[str, t.Any]:
    desired = hub.desired(module.params)
    return {"hugging_face_model": hub.to_result(desired, hub.reply(desired))}


def main() -> None:
    read_node(AnsibleModule(argument_spec=hub.SPEC, supports_check_mode=True), read)


if __name__ == "__main__":
    main()
