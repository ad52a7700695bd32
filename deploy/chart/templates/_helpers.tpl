{{/* Labels by which objects are found: a dict of root and component. */}}
{{- define "dms.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "dms.labels" -}}
{{ include "dms.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end }}

{{- define "dms.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- with .Values.image.digest }}@{{ . }}{{ end }}
{{- end }}

{{/* What every pod has in common; the argument is the root. The pods meet the standard "restricted" of Kubernetes. */}}
{{- define "dms.pod" -}}
# No process talks to the API of Kubernetes.
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.image.pullSecrets }}
imagePullSecrets:{{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:{{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:{{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.volumes }}
volumes:{{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* What every container has in common; the argument is the root. */}}
{{- define "dms.container" -}}
image: {{ include "dms.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- with .Values.volumeMounts }}
volumeMounts:{{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "dms.settings" -}}
{{- range $name, $value := .Values.settings }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}
